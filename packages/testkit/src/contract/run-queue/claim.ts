import { Automation, MachineId, newId, Project, Run } from "@coppice/core"
import { RunQueue } from "@coppice/core/ports"
import { Effect } from "effect"
import { assert } from "vitest"
import { idsOf, same, test, twenty } from "../check.ts"
import { seedAutomation, seedRun, seedWorld } from "../seed.ts"
import type { StoreCapabilities, StoreTest } from "../store-contract.ts"
import { claimOf, get, long, seedLeased, siblingsOn } from "./seed-lease.ts"

export const claimTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  test("takes up the oldest queued run of the machine, over all organizations", Effect.gen(function*() {
    const world = yield* seedWorld()
    yield* seedRun((yield* seedWorld()).automation)
    const runs = [yield* seedRun(yield* siblingsOn(world)), yield* seedRun(world.automation), yield* seedRun(world.automation)]
    const claimed: Array<Run> = []
    for (const _ of runs) claimed.push((yield* claimOf(world.machineId)).run)
    assert.deepStrictEqual(idsOf(claimed), idsOf(runs))
    assert.isUndefined(yield* (yield* RunQueue).claim(world.machineId, long))
  })),
  test("moves it to preparing, counts an attempt, and answers all that is needed to do it", Effect.gen(function*() {
    const { automation, machineId, organizationId, project } = yield* seedWorld()
    const payload = new Uint8Array([0, 1, 255])
    const { queuePosition: _, waitingFor: __, ...run } = yield* seedRun(automation, payload)
    const claim = yield* claimOf(machineId)
    const { startedAt, updatedAt } = claim.run
    assert.isDefined(startedAt)
    same(Run, claim.run, { ...run, status: "preparing", attempt: 1, startedAt, updatedAt })
    same(Run, yield* get(run), claim.run)
    same(Automation, claim.automation, automation)
    same(Project, claim.project, project)
    assert.deepStrictEqual([...claim.payload], [...payload])
    assert.deepStrictEqual([claim.lease.organizationId, claim.lease.runId], [organizationId, run.id])
  })),
  test("takes up nothing for a machine that has no queued run, or is not there", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation } = yield* seedWorld()
    yield* seedRun(automation)
    const { machineId } = yield* seedWorld()
    assert.isUndefined(yield* queue.claim(machineId, long))
    assert.isUndefined(yield* queue.claim(yield* newId(MachineId), long))
  })),
  test("takes up no more than the machine's cap, over all organizations", Effect.gen(function*() {
    const queue = yield* RunQueue
    const world = yield* seedWorld()
    const sibling = yield* siblingsOn(world)
    for (const automation of [world.automation, sibling, world.automation]) yield* seedRun(automation)
    const options = { ...long, maxConcurrentRuns: 2 }
    const first = yield* queue.claim(world.machineId, options)
    const second = yield* queue.claim(world.machineId, options)
    assert.isUndefined(yield* queue.claim(world.machineId, options))
    assert.isDefined(second)
    yield* queue.update(first!.lease, "preparing", "failed", {})
    assert.isDefined(yield* queue.claim(world.machineId, options))
  })),
  test("passes over an automation that has reached its own cap", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation, machineId, project, user } = yield* seedWorld({ automation: { maxConcurrentRuns: 2 } })
    const free = yield* seedAutomation(project, user.id)
    for (const _ of [1, 2, 3]) yield* seedRun(automation)
    const run = yield* seedRun(free)
    const first = yield* claimOf(machineId)
    yield* claimOf(machineId)
    assert.strictEqual((yield* claimOf(machineId)).run.id, run.id)
    assert.isUndefined(yield* queue.claim(machineId, long))
    yield* queue.update(first.lease, "preparing", "queued", {})
    assert.strictEqual((yield* claimOf(machineId)).run.id, first.run.id)
  })),
  test("takes up one run at a time of an automation that reuses its workspace", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation, machineId } = yield* seedWorld({ automation: { workspaceMode: "reuse", maxConcurrentRuns: 5 } })
    yield* seedRun(automation)
    yield* seedRun(automation)
    const { lease } = yield* claimOf(machineId)
    assert.isUndefined(yield* queue.claim(machineId, long))
    yield* queue.update(lease, "preparing", "failed", {})
    assert.isDefined(yield* queue.claim(machineId, long))
  })),
  test("never gives two callers the same run", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation, machineId } = yield* seedWorld()
    const runs = yield* Effect.forEach(Array.from({ length: 10 }), () => seedRun(automation))
    const claims = yield* twenty(() => queue.claim(machineId, long))
    const claimed = claims.flatMap((claim) => claim === undefined ? [] : [claim.run.id])
    assert.sameMembers(claimed, runs.map(({ id }) => id))
    assert.strictEqual(new Set(claimed).size, claimed.length)
  })),
  test("keeps every cap under twenty callers at once", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { automation, machineId, project, user } = yield* seedWorld({ automation: { maxConcurrentRuns: 2 } })
    const reusing = yield* seedAutomation(project, user.id, { workspaceMode: "reuse" })
    const free = yield* seedAutomation(project, user.id)
    for (const each of [automation, reusing, free]) {
      for (const _ of [1, 2, 3, 4, 5, 6]) yield* seedRun(each)
    }
    const claims = yield* twenty(() => queue.claim(machineId, { ...long, maxConcurrentRuns: 6 }))
    const counts = new Map<string, number>()
    for (const claim of claims) {
      if (claim !== undefined) counts.set(claim.automation.id, (counts.get(claim.automation.id) ?? 0) + 1)
    }
    assert.deepStrictEqual([automation, reusing, free].map(({ id }) => counts.get(id)), [2, 1, 3])
  })),
  test("raises the fence with each claim", Effect.gen(function*() {
    const queue = yield* RunQueue
    const { lease, machineId } = yield* seedLeased(capabilities)
    yield* queue.update(lease, "preparing", "queued", {})
    const again = yield* claimOf(machineId)
    assert.strictEqual(again.run.id, lease.runId)
    assert.isAbove(again.lease.fence, lease.fence)
  }))
]
