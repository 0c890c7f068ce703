import { Automation, AutomationId, Name, newId, now, RunId, type SecretHash, Text } from "@coppice/core"
import { AutomationStore, RunEventStore, RunQueue, RunStore, WebhookInbox } from "@coppice/core/ports"
import { DateTime, Effect, Result, Schema } from "effect"
import { assert } from "vitest"
import { failsWith, fiveTimes, idsOf, pagesThrough, property, same, test, twenty } from "./check.ts"
import {
  newAutomation,
  seedAutomation,
  seedHash,
  seedHost,
  seedProject,
  seedRun,
  seedTenant,
  seedWorkspace,
  seedWorld
} from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedPlace = Effect.gen(function*() {
  const tenant = yield* seedTenant
  const host = yield* seedHost(tenant.organization.id)
  const project = yield* seedProject(host)
  return { host, organizationId: tenant.organization.id, ownerId: tenant.user.id, project }
})

const fields = Schema.Struct({
  name: Name,
  status: Automation.fields.status,
  prompt: Text,
  agent: Name,
  workspaceMode: Automation.fields.workspaceMode,
  timeoutSeconds: Automation.fields.timeoutSeconds,
  maxConcurrentRuns: Automation.fields.maxConcurrentRuns,
  maxAttempts: Automation.fields.maxAttempts
})

/** What the inbox says of a token, without a run. */
const tokenOf = (automationId: AutomationId, tokenHash: SecretHash) =>
  Effect.gen(function*() {
    return (yield* (yield* WebhookInbox).receive({ automationId, tokenHash }))._tag
  })

export const automationStoreContract = storeContract("AutomationStore", () => [
  property("stores an automation, and answers it as it was given", fields, (given) =>
    Effect.gen(function*() {
      const store = yield* AutomationStore
      const { organizationId, ownerId, project } = yield* seedPlace
      const workspaceId = given.workspaceMode === "reuse" ? { workspaceId: (yield* seedWorkspace(project)).id } : {}
      const automation = yield* seedAutomation(project, ownerId, { ...given, ...workspaceId })
      same(Automation, yield* store.get(organizationId, automation.id), automation)
      same(Schema.Array(Automation), (yield* store.list(organizationId, {}, {})).items, [automation])
    })),
  test("fails with Conflict while the name is taken in the organization", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { host, organizationId, ownerId, project } = yield* seedPlace
    const { id, name } = yield* seedAutomation(project, ownerId)
    yield* failsWith("Conflict", store.create(yield* newAutomation(project, ownerId, { name })))
    yield* failsWith("Conflict", store.create(yield* newAutomation(yield* seedProject(host), ownerId, { name })))
    const elsewhere = yield* seedPlace
    yield* store.create(yield* newAutomation(elsewhere.project, elsewhere.ownerId, { name }))
    yield* store.remove(organizationId, id)
    yield* store.create(yield* newAutomation(project, ownerId, { name }))
  })),
  test("gives a name to exactly one of twenty", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { organizationId, ownerId, project } = yield* seedPlace
    const created = yield* twenty(() =>
      Effect.flatMap(newAutomation(project, ownerId, { name: "Wanted" }), (each) => Effect.result(store.create(each)))
    )
    assert.strictEqual(created.filter(Result.isSuccess).length, 1)
    assert.strictEqual((yield* store.list(organizationId, {}, {})).items.length, 1)
  })),
  test("gets an automation by id or by name", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { organizationId, ownerId, project } = yield* seedPlace
    const automation = yield* seedAutomation(project, ownerId)
    yield* seedAutomation(project, ownerId)
    same(Automation, yield* store.get(organizationId, automation.id), automation)
    same(Automation, yield* store.get(organizationId, automation.name), automation)
  })),
  test("answers undefined or false for an automation that the organization does not have", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { organizationId } = yield* seedPlace
    const { automation: theirs } = yield* seedWorld()
    const tokenHash = yield* seedHash("webhookToken")
    yield* store.rotateWebhookToken(theirs.organizationId, theirs.id, tokenHash, theirs.updatedAt)
    const at = yield* now
    for (const reference of [theirs.id, theirs.name, yield* newId(AutomationId), "no such automation"]) {
      assert.isUndefined(yield* store.get(organizationId, reference))
    }
    for (const id of [theirs.id, yield* newId(AutomationId)]) {
      assert.isUndefined(yield* store.update(organizationId, id, { name: "Mine" }, at))
      const status = { from: "active", to: "paused" } as const
      assert.isUndefined(yield* store.update(organizationId, id, { status }, at))
      assert.isFalse(yield* store.rotateWebhookToken(organizationId, id, yield* seedHash("webhookToken"), at))
      assert.isFalse(yield* store.remove(organizationId, id))
    }
    const withToken = { ...theirs, webhookTokenAt: theirs.updatedAt }
    same(Automation, yield* store.get(theirs.organizationId, theirs.id), withToken)
    assert.strictEqual(yield* tokenOf(theirs.id, tokenHash), "Admitted")
  })),
  test("lists the organization's automations, newest first, page by page", Effect.gen(function*() {
    const store = yield* AutomationStore
    yield* seedWorld()
    const { organizationId, ownerId, project } = yield* seedPlace
    const automations = yield* fiveTimes(seedAutomation(project, ownerId))
    yield* pagesThrough(automations, (page) => store.list(organizationId, {}, page))
  })),
  test("lists by project", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { host, organizationId, ownerId, project } = yield* seedPlace
    const mine = yield* seedAutomation(project, ownerId)
    yield* seedAutomation(yield* seedProject(host), ownerId)
    const { items } = yield* store.list(organizationId, { projectId: project.id }, {})
    assert.deepStrictEqual(idsOf(items), [mine.id])
  })),
  test("lists by status", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { organizationId, ownerId, project } = yield* seedPlace
    const paused = yield* seedAutomation(project, ownerId, { status: "paused" })
    const active = yield* seedAutomation(project, ownerId)
    assert.deepStrictEqual(idsOf((yield* store.list(organizationId, { status: "paused" }, {})).items), [paused.id])
    assert.deepStrictEqual(idsOf((yield* store.list(organizationId, { status: "active" }, {})).items), [active.id])
  })),
  test("answers the automation after the patch, which changes nothing else", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { organizationId, ownerId, project } = yield* seedPlace
    const automation = yield* seedAutomation(project, ownerId)
    const at = DateTime.add(automation.updatedAt, { minutes: 1 })
    const prompted = { ...automation, prompt: "Look again.", updatedAt: at }
    same(Automation, yield* store.update(organizationId, automation.id, { prompt: "Look again." }, at), prompted)
    const patch = {
      name: `renamed ${automation.id}`,
      agent: "other",
      workspaceMode: "reuse" as const,
      workspaceId: (yield* seedWorkspace(project)).id,
      timeoutSeconds: 7,
      maxConcurrentRuns: 3,
      maxAttempts: 5
    }
    const changed: Automation = { ...prompted, ...patch }
    same(Automation, yield* store.update(organizationId, automation.id, patch, at), changed)
    same(Automation, yield* store.get(organizationId, automation.id), changed)
  })),
  test("takes a value away for null", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { organizationId, ownerId, project } = yield* seedPlace
    const workspace = yield* seedWorkspace(project)
    const { maxConcurrentRuns, workspaceId, ...rest } = yield* seedAutomation(project, ownerId, {
      workspaceMode: "reuse",
      workspaceId: workspace.id,
      maxConcurrentRuns: 3
    })
    assert.isDefined(maxConcurrentRuns ?? workspaceId)
    const patch = { maxConcurrentRuns: null, workspaceId: null }
    same(Automation, yield* store.update(organizationId, rest.id, patch, rest.updatedAt), rest)
  })),
  test("changes status as a compare-and-set", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { organizationId, ownerId, project } = yield* seedPlace
    const automation = yield* seedAutomation(project, ownerId)
    const at = DateTime.add(automation.updatedAt, { minutes: 1 })
    const resume = { status: { from: "paused", to: "active" }, prompt: "Never." } as const
    assert.isUndefined(yield* store.update(organizationId, automation.id, resume, at))
    same(Automation, yield* store.get(organizationId, automation.id), automation)
    const pause = { status: { from: "active", to: "paused" } } as const
    const paused = { ...automation, status: "paused", updatedAt: at }
    same(Automation, yield* store.update(organizationId, automation.id, pause, at), paused)
    same(Automation, yield* store.get(organizationId, automation.id), paused)
  })),
  test("lets exactly one of twenty pause it", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { automation, organizationId } = yield* seedWorld()
    const status = { from: "active", to: "paused" } as const
    const at = yield* now
    const moved = yield* twenty(() => store.update(organizationId, automation.id, { status }, at))
    assert.strictEqual(moved.filter((answer) => answer !== undefined).length, 1)
  })),
  test("updates with Conflict while the new name is taken, and changes nothing", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { organizationId, ownerId, project } = yield* seedPlace
    const { id, name } = yield* seedAutomation(project, ownerId)
    const other = yield* seedAutomation(project, ownerId)
    const at = yield* now
    yield* failsWith("Conflict", store.update(organizationId, other.id, { name, prompt: "Never." }, at))
    same(Automation, yield* store.get(organizationId, other.id), other)
    assert.isDefined(yield* store.update(organizationId, id, { name }, at))
  })),
  test("puts a token in the place of the one before, which is worth nothing from then on", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { automation, organizationId } = yield* seedWorld()
    const [first, second] = [yield* seedHash("webhookToken"), yield* seedHash("webhookToken")]
    assert.strictEqual(yield* tokenOf(automation.id, first), "Unauthorized")
    assert.isTrue(yield* store.rotateWebhookToken(organizationId, automation.id, first, yield* now))
    assert.strictEqual(yield* tokenOf(automation.id, first), "Admitted")
    assert.isTrue(yield* store.rotateWebhookToken(organizationId, automation.id, second, yield* now))
    assert.strictEqual(yield* tokenOf(automation.id, first), "Unauthorized")
    assert.strictEqual(yield* tokenOf(automation.id, second), "Admitted")
  })),
  test("says since when there is a token", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { automation, organizationId } = yield* seedWorld()
    assert.isUndefined((yield* store.get(organizationId, automation.id))?.webhookTokenAt)
    const at = DateTime.add(yield* now, { minutes: 1 })
    yield* store.rotateWebhookToken(organizationId, automation.id, yield* seedHash("webhookToken"), at)
    same(Automation, yield* store.get(organizationId, automation.id), { ...automation, webhookTokenAt: at, updatedAt: at })
  })),
  test("leaves exactly one of twenty tokens that are put at once", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { automation, organizationId } = yield* seedWorld()
    const at = yield* now
    const hashes = yield* twenty(() =>
      Effect.tap(seedHash("webhookToken"), (hash) =>
        store.rotateWebhookToken(organizationId, automation.id, hash, at))
    )
    const verdicts = yield* Effect.forEach(hashes, (hash) => tokenOf(automation.id, hash))
    assert.strictEqual(verdicts.filter((verdict) => verdict === "Admitted").length, 1)
  })),
  test("removes it with its token, and answers whether it was there", Effect.gen(function*() {
    const store = yield* AutomationStore
    const { automation, organizationId } = yield* seedWorld()
    const tokenHash = yield* seedHash("webhookToken")
    yield* store.rotateWebhookToken(organizationId, automation.id, tokenHash, yield* now)
    const removed = yield* twenty(() => store.remove(organizationId, automation.id))
    assert.strictEqual(removed.filter((wasThere) => wasThere).length, 1)
    assert.isUndefined(yield* store.get(organizationId, automation.id))
    assert.strictEqual(yield* tokenOf(automation.id, tokenHash), "Unauthorized")
  })),
  test("removes it with its runs' records", Effect.gen(function*() {
    const { automation, organizationId } = yield* seedWorld()
    const runs = yield* RunStore
    const events = yield* RunEventStore
    const run = yield* seedRun(automation)
    yield* events.append(organizationId, run.id, [{ type: "progress", at: yield* now, attempt: 0, text: "…" }], 1000)
    yield* runs.cancel(organizationId, run.id, yield* now)
    assert.isTrue(yield* (yield* AutomationStore).remove(organizationId, automation.id))
    assert.isUndefined(yield* runs.get(organizationId, run.id))
    assert.isUndefined(yield* runs.payload(organizationId, run.id))
    assert.deepStrictEqual(yield* events.list(organizationId, run.id, 0, 10), [])
  })),
  test("removes with Conflict while a run of it has not ended", Effect.gen(function*() {
    const store = yield* AutomationStore
    const queue = yield* RunQueue
    const { automation, machineId, organizationId } = yield* seedWorld()
    yield* seedRun(automation)
    const refused = Effect.gen(function*() {
      yield* failsWith("Conflict", store.remove(organizationId, automation.id))
      same(Automation, yield* store.get(organizationId, automation.id), automation)
    })
    yield* refused
    const { lease } = (yield* queue.claim(machineId, { leaseMillis: 60_000, maxConcurrentRuns: 4 }))!
    yield* refused
    yield* queue.update(lease, "preparing", "running", {})
    yield* refused
    yield* queue.update(lease, "running", "waiting", {})
    yield* refused
    yield* queue.update(lease, "waiting", "failed", {})
    assert.isTrue(yield* store.remove(organizationId, automation.id))
  })),
  test("leaves no run without its automation when both come at once", Effect.gen(function*() {
    const store = yield* AutomationStore
    const inbox = yield* WebhookInbox
    const runs = yield* RunStore
    for (let round = 0; round < 5; round++) {
      const { automation, organizationId } = yield* seedWorld()
      const { id: automationId } = automation
      const tokenHash = yield* seedHash("webhookToken")
      yield* store.rotateWebhookToken(organizationId, automationId, tokenHash, yield* now)
      const run = { id: yield* newId(RunId), payload: new Uint8Array([123, 125]), receivedAt: yield* now }
      const [verdict, removed] = yield* Effect.all([
        inbox.receive({ automationId, tokenHash, run }),
        Effect.result(store.remove(organizationId, automationId))
      ], { concurrency: "unbounded" })
      const accepted = verdict._tag === "Accepted"
      assert.strictEqual(Result.isFailure(removed), accepted)
      assert.strictEqual((yield* runs.get(organizationId, run.id)) !== undefined, accepted)
    }
  }))
])
