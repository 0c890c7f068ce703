import { type Automation, AutomationId, hasEnded, type MachineId, newId, now, Run, RunId, type RunStatus } from "@coppice/core"
import { RunEventStore, RunQueue, RunStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { failsWith, fiveTimes, idsOf, pagesThrough, property, same, test, twenty } from "./check.ts"
import { seedAutomation, seedProject, seedRun, seedWorld } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const options = { leaseMillis: 60_000, maxConcurrentRuns: 100 }

/** Takes a run up and brings it to that status. */
const seedRunIn = Effect.fnUntraced(function*(automation: Automation, machineId: MachineId, status: RunStatus) {
  const queue = yield* RunQueue
  const run = yield* seedRun(automation)
  if (status === "queued") return run
  if (status === "cancelled") {
    return (yield* (yield* RunStore).cancel(run.organizationId, run.id, yield* now))!
  }
  const { lease } = (yield* queue.claim(machineId, options))!
  if (status !== "preparing") yield* queue.update(lease, "preparing", "running", {})
  if (status !== "preparing" && status !== "running") yield* queue.update(lease, "running", status, {})
  return (yield* (yield* RunStore).get(run.organizationId, run.id))!
})

const bytes = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), { maxLength: 64 }),
  (values) => Uint8Array.from(values)
)

export const runStoreContract = storeContract("RunStore", () => [
  test("stores a queued run of an automation, and answers it", Effect.gen(function*() {
    const store = yield* RunStore
    const { automation, host, organizationId, project } = yield* seedWorld()
    const at = yield* now
    const { id: retryOf } = yield* seedRun(automation)
    const id = yield* newId(RunId)
    const given = { id, organizationId, automationId: automation.id, trigger: "webhook" as const, retryOf, createdAt: at }
    const run = yield* store.create(given, new Uint8Array([1]))
    const expected: Run = {
      ...given,
      projectId: project.id,
      hostId: host.id,
      status: "queued",
      attempt: 0,
      queuePosition: 2,
      waitingFor: "worker",
      updatedAt: at
    }
    same(Run, run, expected)
    same(Run, yield* store.get(organizationId, id), expected)
  })),
  test("fails with NotFound without the automation, also when another organization has it", Effect.gen(function*() {
    const store = yield* RunStore
    const { organizationId } = yield* seedWorld()
    const { automation: theirs } = yield* seedWorld()
    for (const automationId of [yield* newId(AutomationId), theirs.id]) {
      const id = yield* newId(RunId)
      const run = { id, organizationId, automationId, trigger: "manual" as const, createdAt: yield* now }
      yield* failsWith("NotFound", store.create(run, new Uint8Array()))
      assert.isUndefined(yield* store.get(organizationId, id))
      assert.isUndefined(yield* store.get(theirs.organizationId, id))
    }
  })),
  property("keeps the payload as the bytes that were received", bytes, (payload) =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { automation, organizationId } = yield* seedWorld()
      const run = yield* seedRun(automation, payload)
      const kept = yield* store.payload(organizationId, run.id)
      assert.deepStrictEqual([...kept!], [...payload])
    })),
  test("keeps a payload of 1 MiB", Effect.gen(function*() {
    const { automation, organizationId } = yield* seedWorld()
    const payload = Uint8Array.from({ length: 1_048_576 }, (_, place) => place % 251)
    const run = yield* seedRun(automation, payload)
    const kept = yield* (yield* RunStore).payload(organizationId, run.id)
    assert.strictEqual(kept?.length, payload.length)
    assert.isTrue(payload.every((byte, place) => kept?.[place] === byte))
  })),
  test("knows a run's place in the queue of its host", Effect.gen(function*() {
    const store = yield* RunStore
    const { automation, host, machineId, organizationId, user } = yield* seedWorld()
    const other = yield* seedAutomation(yield* seedProject(host), user.id)
    yield* seedRun((yield* seedWorld()).automation)
    const runs = [yield* seedRun(automation), yield* seedRun(other), yield* seedRun(automation)]
    const places = Effect.forEach(runs, ({ id }) =>
      Effect.map(store.get(organizationId, id), (run) => [run?.status, run?.queuePosition, run?.waitingFor]))
    assert.deepStrictEqual(yield* places, [["queued", 1, "worker"], ["queued", 2, "worker"], ["queued", 3, "worker"]])
    yield* (yield* RunQueue).claim(machineId, options)
    assert.deepStrictEqual(yield* places, [
      ["preparing", undefined, undefined],
      ["queued", 1, "worker"],
      ["queued", 2, "worker"]
    ])
    yield* store.cancel(organizationId, runs[1]!.id, yield* now)
    assert.deepStrictEqual((yield* places)[2], ["queued", 1, "worker"])
    const { items } = yield* store.list(organizationId, { status: "queued" }, {})
    assert.deepStrictEqual(items.map((run) => [run.id, run.queuePosition]), [[runs[2]!.id, 1]])
  })),
  test("knows what a queued run waits for", Effect.gen(function*() {
    const store = yield* RunStore
    const queue = yield* RunQueue
    const { automation, host, machineId, organizationId, project, user } = yield* seedWorld({
      automation: { maxConcurrentRuns: 1 },
      host: { maxConcurrentRuns: 3 }
    })
    const reusing = yield* seedAutomation(project, user.id, { workspaceMode: "reuse" })
    const other = yield* seedAutomation(yield* seedProject(host), user.id)
    const waitingFor = ({ id }: Run) => Effect.map(store.get(organizationId, id), (run) => run?.waitingFor)
    yield* seedRun(automation)
    yield* queue.claim(machineId, options)
    const capped = yield* seedRun(automation)
    assert.strictEqual(yield* waitingFor(capped), "automation_capacity")
    yield* seedRun(reusing)
    yield* queue.claim(machineId, options)
    const sharing = yield* seedRun(reusing)
    assert.strictEqual(yield* waitingFor(sharing), "workspace")
    const free = yield* seedRun(other)
    assert.strictEqual(yield* waitingFor(free), "worker")
    yield* queue.claim(machineId, options)
    for (const run of [capped, sharing]) assert.strictEqual(yield* waitingFor(run), "host_capacity")
  })),
  test("answers undefined for a run that the organization does not have", Effect.gen(function*() {
    const store = yield* RunStore
    const { organizationId } = yield* seedWorld()
    const theirs = yield* seedRun((yield* seedWorld()).automation)
    for (const id of [theirs.id, yield* newId(RunId)]) {
      assert.isUndefined(yield* store.get(organizationId, id))
      assert.isUndefined(yield* store.payload(organizationId, id))
      assert.isUndefined(yield* store.cancel(organizationId, id, yield* now))
    }
    same(Run, yield* store.get(theirs.organizationId, theirs.id), theirs)
  })),
  test("lists the organization's runs, newest first, page by page", Effect.gen(function*() {
    const store = yield* RunStore
    yield* seedRun((yield* seedWorld()).automation)
    const { automation, organizationId } = yield* seedWorld()
    const runs = yield* fiveTimes(seedRun(automation))
    yield* pagesThrough(runs, (page) => store.list(organizationId, {}, page))
  })),
  test("lists by automation, project and status", Effect.gen(function*() {
    const store = yield* RunStore
    const { automation, host, machineId, organizationId, project, user } = yield* seedWorld()
    const sibling = yield* seedAutomation(project, user.id)
    const elsewhere = yield* seedAutomation(yield* seedProject(host), user.id)
    const running = yield* seedRunIn(automation, machineId, "running")
    const queued = yield* seedRun(automation)
    const ofSibling = yield* seedRun(sibling)
    const ofElsewhere = yield* seedRun(elsewhere)
    const list = (filter: Parameters<typeof store.list>[1]) =>
      Effect.map(store.list(organizationId, filter, {}), ({ items }) => idsOf(items))
    assert.deepStrictEqual(yield* list({}), [ofElsewhere.id, ofSibling.id, queued.id, running.id])
    assert.deepStrictEqual(yield* list({ automationId: automation.id }), [queued.id, running.id])
    assert.deepStrictEqual(yield* list({ projectId: project.id }), [ofSibling.id, queued.id, running.id])
    assert.deepStrictEqual(yield* list({ status: "running" }), [running.id])
    assert.deepStrictEqual(yield* list({ automationId: automation.id, status: "queued" }), [queued.id])
    assert.deepStrictEqual(yield* list({ automationId: elsewhere.id, projectId: project.id }), [])
  })),
  test("cancels a queued run at once", Effect.gen(function*() {
    const store = yield* RunStore
    const { automation, machineId, organizationId } = yield* seedWorld()
    const run = yield* seedRun(automation)
    const at = DateTime.add(run.updatedAt, { minutes: 1 })
    const cancelled = yield* store.cancel(organizationId, run.id, at)
    const { queuePosition: _, waitingFor: __, ...rest } = run
    same(Run, cancelled, { ...rest, status: "cancelled", endedAt: at, updatedAt: at })
    same(Run, yield* store.get(organizationId, run.id), cancelled)
    assert.isUndefined(yield* (yield* RunQueue).claim(machineId, options))
  })),
  test("notes the wish on a run that is taken up, once", Effect.gen(function*() {
    const store = yield* RunStore
    for (const status of ["preparing", "running", "waiting"] as const) {
      const { automation, machineId, organizationId } = yield* seedWorld()
      const run = yield* seedRunIn(automation, machineId, status)
      const at = DateTime.add(run.updatedAt, { minutes: 1 })
      const noted = yield* store.cancel(organizationId, run.id, at)
      same(Run, noted, { ...run, cancelRequestedAt: at, updatedAt: at })
      same(Run, yield* store.cancel(organizationId, run.id, DateTime.add(at, { minutes: 1 })), noted)
    }
  })),
  test("leaves a run that has ended as it is", Effect.gen(function*() {
    const store = yield* RunStore
    for (const status of ["succeeded", "failed", "cancelled"] as const) {
      const { automation, machineId, organizationId } = yield* seedWorld()
      const run = yield* seedRunIn(automation, machineId, status)
      assert.isTrue(hasEnded(run.status))
      same(Run, yield* store.cancel(organizationId, run.id, DateTime.add(run.updatedAt, { hours: 1 })), run)
      same(Run, yield* store.get(organizationId, run.id), run)
    }
  })),
  test("cancels once under twenty who cancel at once", Effect.gen(function*() {
    const store = yield* RunStore
    const { automation, organizationId } = yield* seedWorld()
    const run = yield* seedRun(automation)
    const answers = yield* twenty((minutes) =>
      store.cancel(organizationId, run.id, DateTime.add(run.updatedAt, { minutes }))
    )
    const endedAt = answers.map((answer) => DateTime.toEpochMillis(answer!.endedAt!))
    assert.strictEqual(new Set(endedAt).size, 1)
  })),
  test("either cancels a run or lets it be taken up with the wish noted, when both come at once", Effect.gen(function*() {
    const store = yield* RunStore
    const queue = yield* RunQueue
    for (let round = 0; round < 10; round++) {
      const { automation, machineId, organizationId } = yield* seedWorld()
      const run = yield* seedRun(automation)
      const at = yield* now
      const [claim, cancelled] = yield* Effect.all([
        queue.claim(machineId, options),
        store.cancel(organizationId, run.id, at)
      ], { concurrency: "unbounded" })
      const after = yield* store.get(organizationId, run.id)
      assert.strictEqual(cancelled?.status, claim === undefined ? "cancelled" : "preparing")
      assert.strictEqual(after?.status, claim === undefined ? "cancelled" : "preparing")
      if (claim !== undefined) assert.strictEqual(yield* queue.renew(claim.lease, 60_000), "cancelling")
    }
  })),
  test("forgets payloads and events of runs that ended before that instant; the records stay", Effect.gen(function*() {
    const store = yield* RunStore
    const events = yield* RunEventStore
    const { automation, organizationId } = yield* seedWorld()
    const runs = yield* Effect.forEach([1, 2, 3], () => seedRun(automation))
    const [before, onTheInstant, open] = runs as [Run, Run, Run]
    for (const run of runs) {
      yield* events.append(organizationId, run.id, [{ type: "progress", at: yield* now, attempt: 0, text: "…" }], 1000)
    }
    const instant = DateTime.add(yield* now, { minutes: 1 })
    yield* store.cancel(organizationId, before.id, DateTime.subtract(instant, { milliseconds: 1 }))
    yield* store.cancel(organizationId, onTheInstant.id, instant)
    const record = yield* store.get(organizationId, before.id)
    yield* store.forget(instant)
    const kept = Effect.forEach(runs, ({ id }) =>
      Effect.gen(function*() {
        const payload = yield* store.payload(organizationId, id)
        return [payload !== undefined, (yield* events.list(organizationId, id, 0, 10)).length]
      }))
    assert.deepStrictEqual(yield* kept, [[false, 0], [true, 1], [true, 1]])
    same(Run, yield* store.get(organizationId, before.id), record)
    assert.strictEqual((yield* store.get(organizationId, open.id))?.status, "queued")
  })),
  test("forgets what has ended of every organization", Effect.gen(function*() {
    const store = yield* RunStore
    const { automation } = yield* seedWorld()
    const runs = [yield* seedRun(automation), yield* seedRun((yield* seedWorld()).automation)]
    const at = yield* now
    for (const run of runs) yield* store.cancel(run.organizationId, run.id, at)
    yield* store.forget(DateTime.add(at, { milliseconds: 1 }))
    for (const run of runs) assert.isUndefined(yield* store.payload(run.organizationId, run.id))
  }))
])
