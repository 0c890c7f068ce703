import { now } from "@coppice/core"
import { HostStore, RunQueue, RunStore } from "@coppice/core/ports"
import { DateTime, Effect, Queue, Stream } from "effect"
import { beforeLong, test } from "../check.ts"
import { seedRun, seedWorld } from "../seed.ts"
import type { StoreTest } from "../store-contract.ts"
import { claimOf } from "./seed-lease.ts"

export const changesTests: ReadonlyArray<StoreTest> = [
  test("tells of changes: once at the start, and whenever a run may be claimable or is to be cancelled", Effect.gen(function*() {
    const queue = yield* RunQueue
    const store = yield* RunStore
    const { automation, machineId } = yield* seedWorld()
    const changes = yield* Queue.unbounded<void>()
    yield* Effect.forkScoped(Stream.runForEach(queue.changes, () => Queue.offer(changes, undefined)))
    /** The change that is due, and whatever came with it. */
    const due = (after: string) =>
      Effect.andThen(
        beforeLong(Queue.take(changes), `no change was told of after ${after}`),
        Queue.clear(changes)
      )
    yield* due("the start")
    const first = yield* seedRun(automation)
    yield* due("a new run")
    const { lease } = yield* claimOf(machineId)
    yield* store.cancel(first.organizationId, first.id, yield* now)
    yield* due("a wish to cancel")
    yield* queue.update(lease, "preparing", "cancelled", {})
    yield* due("an end, which makes room")
    yield* seedRun(automation)
    yield* due("a second run")
    const second = yield* claimOf(machineId)
    yield* queue.update(second.lease, "preparing", "queued", {})
    yield* due("a run that is back")
    yield* claimOf(machineId)
    yield* queue.reclaim(machineId)
    yield* due("a run that was reclaimed")
    yield* (yield* HostStore).register(automation.organizationId, second.run.hostId, {
      machineId,
      name: "again",
      platform: "linux-x64",
      agents: [],
      maxConcurrentRuns: 9
    }, DateTime.add(yield* now, { seconds: 1 }))
    yield* due("a change of its host")
  }))
]
