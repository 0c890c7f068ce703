import {
  getAutomation,
  hashSecret,
  listAutomations,
  listWebhookRefusals,
  pauseAutomation,
  receiveWebhook,
  resumeAutomation,
  rotateWebhookToken,
  secretPrefixes,
  toolCatalog
} from "@coppice/core"
import { echoes } from "@coppice/testkit/fake"
import { verifies } from "@coppice/testkit/conformance"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assert, describe } from "vitest"
import { makeWorld, startWorker, worldLayer } from "./world.ts"

/** A request with that body, as a transport hands it on. */
const post = (automationId: string, token: string, body: string) => {
  const bytes = new TextEncoder().encode(body)
  const headers = { declaredBytes: bytes.length, contentType: "application/json", contentEncoding: undefined }
  return receiveWebhook({ automationId, token, headers, read: Effect.succeed(bytes) })
}

describe("the webhook token of an automation", () => {
  it.effect(verifies("webhook.token-prefix") + "begins with the service's prefix, which ends in _wh_", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { id } = yield* world.automate()
      const { token } = yield* world.as(rotateWebhookToken(id))
      assert.match(secretPrefixes.webhookToken, /^[a-z]+_wh_$/)
      assert.isTrue(token.startsWith(secretPrefixes.webhookToken))
      assert.isDefined(hashSecret("webhookToken", token))
      assert.isUndefined(hashSecret("apiKey", token))
    }).pipe(Effect.provide(worldLayer)))

  it.effect(verifies("webhook.token-on-demand") + "is there once somebody has asked for one, and not before", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { id } = yield* world.automate()
      const { token: foreign } = yield* world.as(rotateWebhookToken((yield* world.automate({ name: "Other" })).id))
      const refused = yield* Effect.flip(post(id, foreign, "{}"))
      assert.strictEqual(refused.code, "UNAUTHORIZED")
      const { token } = yield* world.as(rotateWebhookToken(id))
      assert.isDefined((yield* post(id, token, "{}")).runId)
    }).pipe(Effect.provide(worldLayer)))

  it.effect(verifies("webhook.token-shown-once") + "is answered when it is made, and by nothing after that", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { id } = yield* world.automate()
      const { token } = yield* world.as(rotateWebhookToken(id))
      const hash = hashSecret("webhookToken", token)!
      const call = (name: string, args: object) =>
        world.as(toolCatalog.find((tool) => tool.name === name)!.call(args))
      const shown = JSON.stringify([
        yield* world.as(getAutomation(id)),
        yield* world.as(listAutomations({}, {})),
        yield* call("automations_get", { automationId: id }),
        yield* call("automations_list", {}),
        yield* call("automations_update", { automationId: id, prompt: "Look again." })
      ])
      assert.notInclude(shown, token)
      assert.notInclude(shown, hash)
      assert.notStrictEqual((yield* world.as(rotateWebhookToken(id))).token, token)
    }).pipe(Effect.provide(worldLayer)))
})

describe("what is refused", () => {
  it.effect("is there for the automation's people to see, by its reason", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { id } = yield* world.automate()
      const { token } = yield* world.as(rotateWebhookToken(id))
      yield* post(id, token, "{}")
      yield* Effect.flip(post(id, token, "no JSON"))
      yield* Effect.flip(post(id, token, "nor this"))
      yield* world.as(pauseAutomation(id))
      yield* Effect.flip(post(id, token, "{}"))
      yield* Effect.flip(post(id, `${token}x`, "{}"))
      const refusals = yield* world.as(listWebhookRefusals(id))
      const seen = refusals.map(({ code, count, message }) => [code, count, message] as const)
      assert.deepStrictEqual(seen.map(([code, count]) => [code, count]).toSorted(), [["AUTOMATION_PAUSED", 1], ["INVALID_JSON", 2]])
      assert.include(JSON.stringify(seen), "paused")
      assert.notInclude(JSON.stringify(refusals), token)
    }).pipe(Effect.provide(worldLayer)))
})

describe("an automation", () => {
  it.effect(verifies("automation.can-be-paused") + "can be paused and resumed, and to be so already is fine", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { id } = yield* world.automate()
      const status = (effect: ReturnType<typeof pauseAutomation>) => Effect.map(world.as(effect), ({ status }) => status)
      assert.strictEqual(yield* status(pauseAutomation(id)), "paused")
      assert.strictEqual(yield* status(pauseAutomation(id)), "paused")
      assert.strictEqual((yield* Effect.flip(world.run(id))).code, "AUTOMATION_PAUSED")
      assert.strictEqual(yield* status(resumeAutomation(id)), "active")
      assert.strictEqual((yield* world.run(id)).status, "queued")
    }).pipe(Effect.provide(worldLayer)))

  it.effect(verifies("service.webhook-body-in-prompt") + "puts a webhook's body into its agent's prompt", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", echoes)
      const { id } = yield* world.automate({ prompt: "Look at the pull request." })
      const { token } = yield* world.as(rotateWebhookToken(id))
      const body = "{ \"n\": 1.0, \"n\": 12345678901234567890, \"text\": \"\\u0000 ${HOME} `ls`\" }"
      const { runId } = yield* post(id, token, body)
      yield* startWorker()
      yield* world.reaches(runId, "succeeded")
      const prompt = new TextDecoder().decode(world.fake.process((yield* world.getRun(runId)).agentSessionId!)!.launch.prompt)
      assert.isTrue(prompt.startsWith("Look at the pull request.\n"))
      assert.include(prompt, `\n${body}\n`)
    }).pipe(Effect.provide(worldLayer)))
})
