import {
  AutomationId,
  type Delivery,
  hit,
  type Limit,
  newId,
  now,
  Run,
  RunId,
  type Verdict,
  type Window
} from "@coppice/core"
import { AutomationStore, RunStore, WebhookInbox } from "@coppice/core/ports"
import { Clock, Effect, Schema } from "effect"
import { assert } from "vitest"
import { property, same, test, twenty } from "./check.ts"
import { seedHash, seedWorld } from "./seed.ts"
import { pass, storeContract } from "./store-contract.ts"

const limit: Limit = { max: 3, windowSeconds: 3600 }

/** An automation with a token, and ways to use and change them. */
const seedInbox = Effect.gen(function*() {
  const world = yield* seedWorld()
  const { automation: { id: automationId }, organizationId } = world
  const automations = yield* AutomationStore
  const rotate = Effect.gen(function*() {
    const tokenHash = yield* seedHash("webhookToken")
    yield* automations.rotateWebhookToken(organizationId, automationId, tokenHash, yield* now)
    return tokenHash
  })
  const turn = (from: "active" | "paused", to: "active" | "paused") =>
    Effect.gen(function*() {
      yield* automations.update(organizationId, automationId, { status: { from, to } }, yield* now)
    })
  return {
    ...world,
    automationId,
    tokenHash: yield* rotate,
    rotate,
    pause: turn("active", "paused"),
    resume: turn("paused", "active")
  }
})

const newRun = Effect.gen(function*() {
  return { id: yield* newId(RunId), payload: new TextEncoder().encode("{\"a\":1}"), receivedAt: yield* now }
})

const receive = Effect.fnUntraced(function*(delivery: Delivery) {
  return yield* (yield* WebhookInbox).receive(delivery)
})

const runsOf = ({ automationId, organizationId }: Effect.Success<typeof seedInbox>) =>
  Effect.gen(function*() {
    return (yield* (yield* RunStore).list(organizationId, { automationId }, { limit: 100 })).items
  })

const summary = (verdict: Verdict) => ("usage" in verdict ? [verdict._tag, verdict.usage?.remaining] : [verdict._tag])

const history = Schema.Array(Schema.Struct({
  act: Schema.Literals(["deliver", "deliver", "deliver", "rotate", "pause", "resume"]),
  token: Schema.Literals(["right", "right", "right", "old", "other"]),
  counted: Schema.Literals([true, true, false]),
  brings: Schema.Boolean,
  waitMillis: Schema.Literals([0, 0, 0, 1, 999, 1000, 1999, 2000])
})).check(Schema.isMaxLength(25))

export const webhookInboxContract = storeContract("WebhookInbox", (capabilities) => [
  test("accepts a delivery that brings a run: it is queued and durable, with its payload", Effect.gen(function*() {
    const { automationId, host, organizationId, project, tokenHash } = yield* seedInbox
    const run = yield* newRun
    const verdict = yield* receive({ automationId, tokenHash, limit, run })
    assert.deepStrictEqual(summary(verdict), ["Accepted", 2])
    const store = yield* RunStore
    same(Run, yield* store.get(organizationId, run.id), {
      id: run.id,
      organizationId,
      automationId,
      projectId: project.id,
      hostId: host.id,
      status: "queued",
      trigger: "webhook",
      attempt: 0,
      queuePosition: 1,
      waitingFor: "worker",
      createdAt: run.receivedAt,
      updatedAt: run.receivedAt
    })
    assert.deepStrictEqual([...(yield* store.payload(organizationId, run.id))!], [...run.payload])
  })),
  property("keeps the payload as the bytes that were received", Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), (bytes) =>
    Effect.gen(function*() {
      const { automationId, organizationId, tokenHash } = yield* seedInbox
      const run = { ...yield* newRun, payload: Uint8Array.from(bytes) }
      assert.strictEqual((yield* receive({ automationId, tokenHash, run }))._tag, "Accepted")
      assert.deepStrictEqual([...(yield* (yield* RunStore).payload(organizationId, run.id))!], [...bytes])
    })),
  test("answers Unauthorized for an unknown automation and for a token that is not its own, and counts and writes nothing", Effect.gen(function*() {
    const inbox = yield* seedInbox
    const other = yield* seedInbox
    const run = yield* newRun
    const strangers: ReadonlyArray<Pick<Delivery, "automationId" | "tokenHash">> = [
      { automationId: inbox.automationId, tokenHash: other.tokenHash },
      { automationId: inbox.automationId, tokenHash: yield* seedHash("webhookToken") },
      { automationId: yield* newId(AutomationId), tokenHash: inbox.tokenHash }
    ]
    for (const stranger of strangers) {
      for (let time = 0; time < 5; time++) {
        assert.deepStrictEqual(yield* receive({ ...stranger, limit, run }), { _tag: "Unauthorized" })
      }
    }
    assert.deepStrictEqual(yield* runsOf(inbox), [])
    assert.deepStrictEqual(yield* runsOf(other), [])
    const { automationId, tokenHash } = inbox
    assert.deepStrictEqual(summary(yield* receive({ automationId, tokenHash, limit })), ["Admitted", 2])
  })),
  test("answers Unauthorized for an automation that has no token", Effect.gen(function*() {
    const { automation: { id: automationId } } = yield* seedWorld()
    const verdict = yield* receive({ automationId, tokenHash: yield* seedHash("webhookToken"), limit })
    assert.deepStrictEqual(verdict, { _tag: "Unauthorized" })
  })),
  test("admits what would be accepted and brings no run", Effect.gen(function*() {
    const inbox = yield* seedInbox
    const { automationId, tokenHash } = inbox
    assert.deepStrictEqual(summary(yield* receive({ automationId, tokenHash, limit })), ["Admitted", 2])
    assert.deepStrictEqual(yield* runsOf(inbox), [])
  })),
  test("answers RateLimited over the limit, and stores nothing", Effect.gen(function*() {
    const inbox = yield* seedInbox
    const { automationId, tokenHash } = inbox
    const verdicts = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
      Effect.flatMap(newRun, (run) => receive({ automationId, tokenHash, limit, run })))
    assert.deepStrictEqual(verdicts.map(summary), [
      ["Accepted", 2],
      ["Accepted", 1],
      ["Accepted", 0],
      ["RateLimited", 0],
      ["RateLimited", 0]
    ])
    assert.strictEqual((yield* runsOf(inbox)).length, 3)
  })),
  test("answers Paused for a paused automation, counts it, and stores nothing", Effect.gen(function*() {
    const inbox = yield* seedInbox
    const { automationId, tokenHash } = inbox
    yield* inbox.pause
    const run = yield* newRun
    assert.deepStrictEqual(summary(yield* receive({ automationId, tokenHash, limit, run })), ["Paused", 2])
    assert.deepStrictEqual(summary(yield* receive({ automationId, tokenHash, limit })), ["Paused", 1])
    assert.deepStrictEqual(yield* runsOf(inbox), [])
    yield* inbox.resume
    assert.deepStrictEqual(summary(yield* receive({ automationId, tokenHash, limit, run })), ["Accepted", 0])
  })),
  test("judges the token first, then the limit, then the state", Effect.gen(function*() {
    const inbox = yield* seedInbox
    const { automationId, tokenHash } = inbox
    yield* inbox.pause
    const one: Limit = { max: 1, windowSeconds: 3600 }
    assert.strictEqual((yield* receive({ automationId, tokenHash, limit: one }))._tag, "Paused")
    assert.strictEqual((yield* receive({ automationId, tokenHash, limit: one }))._tag, "RateLimited")
    const wrong = yield* seedHash("webhookToken")
    assert.strictEqual((yield* receive({ automationId, tokenHash: wrong, limit: one }))._tag, "Unauthorized")
  })),
  test("counts nothing and answers no usage without a limit", Effect.gen(function*() {
    const { automationId, tokenHash } = yield* seedInbox
    for (let time = 0; time < 5; time++) {
      const verdict = yield* receive({ automationId, tokenHash, run: yield* newRun })
      assert.isTrue(verdict._tag === "Accepted" && verdict.usage === undefined)
    }
    assert.deepStrictEqual(summary(yield* receive({ automationId, tokenHash, limit })), ["Admitted", 2])
  })),
  test("counts for the automation, whichever token it has", Effect.gen(function*() {
    const inbox = yield* seedInbox
    const { automationId, tokenHash } = inbox
    yield* receive({ automationId, tokenHash, limit })
    const next = yield* inbox.rotate
    assert.deepStrictEqual(summary(yield* receive({ automationId, tokenHash: next, limit })), ["Admitted", 1])
  })),
  test("makes one run of each delivery, also of two that are alike", Effect.gen(function*() {
    const inbox = yield* seedInbox
    const { automationId, tokenHash } = inbox
    const run = yield* newRun
    yield* receive({ automationId, tokenHash, run })
    yield* receive({ automationId, tokenHash, run: { ...run, id: yield* newId(RunId) } })
    assert.strictEqual((yield* runsOf(inbox)).length, 2)
  })),
  test("accepts exactly the limit of twenty deliveries at once", Effect.gen(function*() {
    const inbox = yield* seedInbox
    const { automationId, tokenHash } = inbox
    const twelve: Limit = { max: 12, windowSeconds: 3600 }
    const verdicts = yield* twenty(() =>
      Effect.flatMap(newRun, (run) => receive({ automationId, tokenHash, limit: twelve, run }))
    )
    const tags = verdicts.map(({ _tag }) => _tag)
    assert.strictEqual(tags.filter((tag) => tag === "Accepted").length, 12)
    assert.strictEqual(tags.filter((tag) => tag === "RateLimited").length, 8)
    const remaining = verdicts.flatMap((verdict) => verdict._tag === "Accepted" ? [verdict.usage!.remaining] : [])
    assert.deepStrictEqual(remaining.toSorted((left, right) => left - right), Array.from({ length: 12 }, (_, left) => left))
    assert.strictEqual((yield* runsOf(inbox)).length, 12)
  })),
  test("stores no run after a pause or a rotation has answered", Effect.gen(function*() {
    for (const stop of ["pause", "rotate"] as const) {
      const inbox = yield* seedInbox
      const { automationId, tokenHash } = inbox
      const answered = yield* Effect.all([
        twenty(() => Effect.flatMap(newRun, (run) => receive({ automationId, tokenHash, run }))),
        Effect.gen(function*() {
          yield* inbox[stop]
          return yield* runsOf(inbox)
        })
      ], { concurrency: "unbounded" })
      const [verdicts, then] = answered
      const accepted = verdicts.filter(({ _tag }) => _tag === "Accepted").length
      assert.strictEqual((yield* runsOf(inbox)).length, accepted)
      assert.strictEqual(then.length, accepted)
    }
  })),
  test("opens the next window when the one before has closed, by the store's clock", Effect.gen(function*() {
    const { automationId, tokenHash } = yield* seedInbox
    const short: Limit = { max: 1, windowSeconds: 1 }
    const first = yield* receive({ automationId, tokenHash, limit: short })
    assert.deepStrictEqual(first, {
      _tag: "Admitted",
      usage: { allowed: true, limit: short, remaining: 0, resetSeconds: 1 }
    })
    yield* pass(capabilities, 1000)
    assert.strictEqual((yield* receive({ automationId, tokenHash, limit: short }))._tag, "Admitted")
  })),
  property("agrees with the policy on any history", history, (steps) =>
    Effect.gen(function*() {
      const inbox = yield* seedInbox
      const other = yield* seedHash("webhookToken")
      const { automationId } = inbox
      const moves = capabilities.clock === "test"
      const policy: Limit = { max: 3, windowSeconds: moves ? 2 : 3600 }
      let [right, old] = [inbox.tokenHash, other]
      let active = true
      let window: Window | undefined
      let stored = 0
      for (const { act, brings, counted, token, waitMillis } of steps) {
        if (moves) yield* pass(capabilities, waitMillis)
        if (act === "rotate") {
          old = right
          right = yield* inbox.rotate
        } else if (act === "pause" || act === "resume") {
          yield* inbox[act]
          active = act === "resume"
        } else {
          let expected: ReadonlyArray<unknown> = ["Unauthorized"]
          if (token === "right") {
            const [next, usage] = hit(policy, window, yield* Clock.currentTimeMillis)
            if (counted) window = next
            const tag = counted && !usage.allowed ? "RateLimited" : !active ? "Paused" : brings ? "Accepted" : "Admitted"
            if (tag === "Accepted") stored++
            expected = counted ? [tag, usage.remaining] : [tag]
          }
          const verdict = yield* receive({
            automationId,
            tokenHash: { right, old, other }[token],
            ...(counted ? { limit: policy } : {}),
            ...(brings ? { run: yield* newRun } : {})
          })
          assert.deepStrictEqual(summary(verdict), expected)
        }
      }
      assert.strictEqual((yield* runsOf(inbox)).length, stored)
    }))
])
