import { now, Run } from "@coppice/core"
import { RunQueue, RunStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { assert } from "vitest"
import { idsOf, same, test, twenty } from "../check.ts"
import { seedRun, seedWorld } from "../seed.ts"
import { pass, type StoreCapabilities, type StoreTest } from "../store-contract.ts"
import { claimOf, get, long, mine, seedLeased, shortMillis, siblingsOn } from "./seed-lease.ts"

export const settleTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  test("reaps an expired run back to queued while attempts remain", Effect.gen(function*() {
    const { run } = yield* seedLeased(capabilities, { automation: { maxAttempts: 2 }, expired: true })
    const reaped = mine(yield* (yield* RunQueue).reap(), run)
    assert.deepStrictEqual([reaped?.status, reaped?.attempt, reaped?.queuePosition], ["queued", 1, 1])
    same(Run, yield* get(run), reaped)
  })),
  test("reaps an expired run to failed with host_lost when no attempt remains", Effect.gen(function*() {
    const { run } = yield* seedLeased(capabilities, { automation: { maxAttempts: 1 }, expired: true })
    const reaped = mine(yield* (yield* RunQueue).reap(), run)
    assert.deepStrictEqual([reaped?.status, reaped?.failure?.reason], ["failed", "host_lost"])
    assert.isDefined(reaped?.endedAt)
    same(Run, yield* get(run), reaped)
  })),
  test("reaps an expired run to cancelled where that was asked", Effect.gen(function*() {
    const { run } = yield* seedLeased(capabilities, { cancel: true, expired: true })
    const reaped = mine(yield* (yield* RunQueue).reap(), run)
    assert.strictEqual(reaped?.status, "cancelled")
    assert.isDefined(reaped?.endedAt)
    same(Run, yield* get(run), reaped)
  })),
  test("reaps nothing whose lease holds, nothing queued and nothing that has ended", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation, run } = yield* seedLeased(capabilities)
    const queued = yield* seedRun(automation)
    const ended = yield* seedRun(automation)
    yield* (yield* RunStore).cancel(ended.organizationId, ended.id, yield* now)
    const reaped = yield* queue.reap()
    for (const other of [run, queued, ended]) assert.isUndefined(mine(reaped, other))
    same(Run, yield* get(run), run)
  })),
  test("reaps a run for exactly one of twenty callers", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { run } = yield* seedLeased(capabilities, { expired: true })
    const reaped = yield* twenty(() => Effect.map(queue.reap(), (runs) => mine(runs, run)))
    assert.strictEqual(reaped.filter((answer) => answer !== undefined).length, 1)
  })),
  test("reclaims every leased run of the machine, expired or not, and of no other", Effect.gen(function*() {
    const queue = yield* RunQueue
    const world = yield* seedWorld({ automation: { maxAttempts: 1 } })
    const sibling = yield* siblingsOn(world)
    const expired = yield* seedRun(world.automation)
    yield* claimOf(world.machineId, shortMillis)
    const held = yield* seedRun(sibling)
    const { lease } = yield* claimOf(world.machineId)
    yield* queue.update(lease, "preparing", "running", {})
    yield* pass(capabilities, shortMillis)
    const queued = yield* seedRun(world.automation)
    const other = yield* seedLeased(capabilities)
    const reclaimed = yield* queue.reclaim(world.machineId)
    assert.sameMembers([...idsOf(reclaimed)], [expired.id, held.id])
    assert.deepStrictEqual([mine(reclaimed, expired)?.failure?.reason, mine(reclaimed, held)?.status], ["host_lost", "queued"])
    for (const run of reclaimed) same(Run, yield* get(run), run)
    assert.strictEqual(yield* queue.renew(lease, long.leaseMillis), "lost")
    assert.strictEqual((yield* get(queued)).status, "queued")
    assert.strictEqual(yield* queue.renew(other.lease, long.leaseMillis), "held")
  }))
]
