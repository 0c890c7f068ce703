import { Run, type RunStatus } from "@coppice/core"
import { RunQueue } from "@coppice/core/ports"
import { Effect } from "effect"
import { assert } from "vitest"
import { same, test, twenty } from "../check.ts"
import { seedRun, seedSession, seedWorkspace } from "../seed.ts"
import type { StoreCapabilities, StoreTest } from "../store-contract.ts"
import { claimOf, get, long, seedLeased } from "./seed-lease.ts"

export const updateTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  test("moves a leased run, with the patch", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease, project, run } = yield* seedLeased(capabilities)
    const workspace = yield* seedWorkspace(project)
    const session = yield* seedSession(workspace)
    const patch = { workspaceId: workspace.id, agentSessionId: session.id }
    const running = yield* queue.update(lease, "preparing", "running", patch)
    same(Run, running, { ...run, ...patch, status: "running", updatedAt: running?.updatedAt })
    same(Run, yield* get(run), running)
    const outcome = { exitCode: 3, failure: { reason: "agent_exit", message: "It exited with code 3." } } as const
    const failed = yield* queue.update(lease, "running", "failed", outcome)
    assert.isDefined(failed?.endedAt)
    same(Run, failed, { ...running, ...outcome, status: "failed", endedAt: failed?.endedAt, updatedAt: failed?.updatedAt })
    same(Run, yield* get(run), failed)
  })),
  test("only patches a run that is moved to the status that it has", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease, project, run } = yield* seedLeased(capabilities)
    const { id: workspaceId } = yield* seedWorkspace(project)
    const patched = yield* queue.update(lease, "preparing", "preparing", { workspaceId })
    same(Run, patched, { ...run, workspaceId, updatedAt: patched?.updatedAt })
    assert.strictEqual(yield* queue.renew(lease, long.leaseMillis), "held")
  })),
  test("ends the lease with a final status", Effect.gen(function*() {
    const queue = yield* RunQueue
    for (const status of ["succeeded", "failed", "cancelled"] as const) {
      const { lease, run } = yield* seedLeased(capabilities)
      yield* queue.update(lease, "preparing", "running", {})
      const ended = yield* queue.update(lease, "running", status, {})
      assert.strictEqual(ended?.status, status)
      assert.isDefined(ended?.endedAt)
      assert.strictEqual(yield* queue.renew(lease, long.leaseMillis), "lost")
      assert.isUndefined(yield* queue.update(lease, status, status, { exitCode: 1 }))
      same(Run, yield* get(run), ended)
    }
  })),
  test("puts a run back in its old place with queued", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation, lease, machineId, run } = yield* seedLeased(capabilities)
    const younger = yield* seedRun(automation)
    assert.strictEqual(younger.queuePosition, 1)
    const back = yield* queue.update(lease, "preparing", "queued", {})
    assert.deepStrictEqual([back?.status, back?.queuePosition, back?.attempt], ["queued", 1, 1])
    assert.isFalse("startedAt" in back!)
    assert.strictEqual((yield* get(younger)).queuePosition, 2)
    assert.strictEqual(yield* queue.renew(lease, long.leaseMillis), "lost")
    assert.strictEqual((yield* claimOf(machineId)).run.id, run.id)
  })),
  test("does not count an attempt that is refunded", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease, machineId } = yield* seedLeased(capabilities)
    const back = yield* queue.update(lease, "preparing", "queued", {}, { refundAttempt: true })
    assert.strictEqual(back?.attempt, 0)
    assert.strictEqual((yield* claimOf(machineId)).run.attempt, 1)
  })),
  test("changes nothing, and answers undefined, when the lease is lost", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease, machineId, run } = yield* seedLeased(capabilities, { expired: true })
    assert.isUndefined(yield* queue.update(lease, "preparing", "running", { exitCode: 1 }))
    same(Run, yield* get(run), run)
    yield* queue.reap()
    const again = yield* claimOf(machineId)
    assert.isUndefined(yield* queue.update(lease, "preparing", "succeeded", { exitCode: 1 }))
    same(Run, yield* get(run), again.run)
  })),
  test("changes nothing, and answers undefined, when the run is not in that status", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease, run } = yield* seedLeased(capabilities)
    const wrong: ReadonlyArray<RunStatus> = ["queued", "running", "waiting", "succeeded", "failed", "cancelled"]
    for (const from of wrong) assert.isUndefined(yield* queue.update(lease, from, "running", { exitCode: 1 }))
    same(Run, yield* get(run), run)
  })),
  test("lets exactly one of twenty settle a run", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease, run } = yield* seedLeased(capabilities)
    const settled = yield* twenty((exitCode) => queue.update(lease, "preparing", "failed", { exitCode }))
    const [winner, ...others] = settled.filter((answer) => answer !== undefined)
    assert.strictEqual(others.length, 0)
    same(Run, yield* get(run), winner)
  }))
]
