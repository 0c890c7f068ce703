import { AutomationId, newId, now, WebhookRefusal } from "@coppice/core"
import { AutomationStore, WebhookRefusalStore } from "@coppice/core/ports"
import { DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { property, sameAll, test, twenty } from "./check.ts"
import { seedTenant, seedWorld } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedRefusal = Effect.gen(function*() {
  const world = yield* seedWorld()
  const refusal = { automationId: world.automation.id, code: "AUTOMATION_PAUSED", message: "It is paused." } as const
  const at = yield* now
  return { ...world, refusal, at, later: (minutes: number) => DateTime.add(at, { minutes }) }
})

export const webhookRefusalStoreContract = storeContract("WebhookRefusalStore", () => [
  property("answers a refusal as it was noted", Schema.Struct({ message: Schema.String }), ({ message }) =>
    Effect.gen(function*() {
      const store = yield* WebhookRefusalStore
      const { at, organizationId, refusal } = yield* seedRefusal
      yield* store.note({ ...refusal, message }, at)
      const expected = { ...refusal, message, count: 1, firstAt: at, lastAt: at }
      sameAll(WebhookRefusal, yield* store.list(organizationId, refusal.automationId), [expected])
    })),
  test("keeps one for each reason, the latest first, with how often and since when", Effect.gen(function*() {
    const store = yield* WebhookRefusalStore
    const { at, later, organizationId, refusal } = yield* seedRefusal
    yield* store.note(refusal, at)
    yield* store.note({ ...refusal, code: "INVALID_JSON", message: "No JSON." }, later(1))
    yield* store.note({ ...refusal, message: "It is still paused." }, later(2))
    sameAll(WebhookRefusal, yield* store.list(organizationId, refusal.automationId), [
      { ...refusal, message: "It is still paused.", count: 2, firstAt: at, lastAt: later(2) },
      { ...refusal, code: "INVALID_JSON", message: "No JSON.", count: 1, firstAt: later(1), lastAt: later(1) }
    ])
  })),
  test("counts each of twenty that come at once", Effect.gen(function*() {
    const store = yield* WebhookRefusalStore
    const { at, organizationId, refusal } = yield* seedRefusal
    yield* twenty(() => store.note(refusal, at))
    assert.deepStrictEqual((yield* store.list(organizationId, refusal.automationId)).map(({ count }) => count), [20])
  })),
  test("keeps nothing of an automation that is not there, or is there no more", Effect.gen(function*() {
    const store = yield* WebhookRefusalStore
    const { at, organizationId, refusal } = yield* seedRefusal
    const automationId = yield* newId(AutomationId)
    yield* store.note({ ...refusal, automationId }, at)
    assert.deepStrictEqual(yield* store.list(organizationId, automationId), [])
    yield* store.note(refusal, at)
    yield* (yield* AutomationStore).remove(organizationId, refusal.automationId)
    assert.deepStrictEqual(yield* store.list(organizationId, refusal.automationId), [])
  })),
  test("shows nothing of an automation of another organization", Effect.gen(function*() {
    const store = yield* WebhookRefusalStore
    const { at, refusal } = yield* seedRefusal
    yield* store.note(refusal, at)
    assert.deepStrictEqual(yield* store.list((yield* seedTenant).organization.id, refusal.automationId), [])
  }))
])
