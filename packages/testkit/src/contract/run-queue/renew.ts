import { newId, RunId } from "@coppice/core"
import { RunQueue } from "@coppice/core/ports"
import { Effect } from "effect"
import { assert } from "vitest"
import { test } from "../check.ts"
import { seedRun, seedWorld } from "../seed.ts"
import { pass, type StoreCapabilities, type StoreTest } from "../store-contract.ts"
import { claimOf, long, mine, seedLeased, shortMillis } from "./seed-lease.ts"

export const renewTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  test("holds a lease that is renewed for that long from now on", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation, machineId } = yield* seedWorld()
    const run = yield* seedRun(automation)
    const { lease } = yield* claimOf(machineId, 2_000)
    assert.strictEqual(yield* queue.renew(lease, long.leaseMillis), "held")
    yield* pass(capabilities, 2_000)
    assert.isUndefined(mine(yield* queue.reap(), run))
    assert.strictEqual(yield* queue.renew(lease, shortMillis), "held")
    yield* pass(capabilities, shortMillis)
    assert.strictEqual(yield* queue.renew(lease, long.leaseMillis), "lost")
  })),
  test("answers lost when the lease expired, though nobody has reaped it", Effect.gen(function*() {
    const { lease } = yield* seedLeased(capabilities, { expired: true })
    assert.strictEqual(yield* (yield* RunQueue).renew(lease, long.leaseMillis), "lost")
  })),
  test("answers lost when another claim raised the fence, and leaves that claim's lease alone", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease, machineId, run } = yield* seedLeased(capabilities, { expired: true })
    yield* queue.reap()
    const again = yield* claimOf(machineId)
    assert.strictEqual(again.run.id, run.id)
    assert.strictEqual(yield* queue.renew(lease, shortMillis), "lost")
    yield* pass(capabilities, shortMillis)
    assert.strictEqual(yield* queue.renew(again.lease, long.leaseMillis), "held")
  })),
  test("answers lost for a run that is not there, or is another organization's", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease } = yield* seedLeased(capabilities)
    const { organizationId } = yield* seedWorld()
    for (const wrong of [{ ...lease, organizationId }, { ...lease, runId: yield* newId(RunId) }]) {
      assert.strictEqual(yield* queue.renew(wrong, shortMillis), "lost")
      assert.isUndefined(yield* queue.update(wrong, "preparing", "running", {}))
    }
    assert.strictEqual(yield* queue.renew(lease, long.leaseMillis), "held")
  })),
  test("answers cancelling when the run is to be cancelled", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease } = yield* seedLeased(capabilities, { cancel: true })
    assert.strictEqual(yield* queue.renew(lease, long.leaseMillis), "cancelling")
    assert.strictEqual((yield* queue.update(lease, "preparing", "cancelled", {}))?.status, "cancelled")
  })),
  test("ends a lease when its time is over, and not before", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation, machineId } = yield* seedWorld()
    const run = yield* seedRun(automation)
    // A real clock does not stand still between two calls: there only a time that is far off is sure to be ahead.
    const leaseMillis = capabilities.clock === "test" ? 1_000 : shortMillis
    yield* claimOf(machineId, leaseMillis)
    if (capabilities.clock === "test") {
      yield* pass(capabilities, leaseMillis - 1)
      assert.isUndefined(mine(yield* queue.reap(), run))
      yield* pass(capabilities, 1)
    } else {
      yield* pass(capabilities, leaseMillis)
    }
    assert.isDefined(mine(yield* queue.reap(), run))
  }))
]
