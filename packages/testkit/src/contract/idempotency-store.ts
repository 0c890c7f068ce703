import { type IdempotentCall, now, type OrganizationId, type UserId } from "@coppice/core"
import { IdempotencyStore } from "@coppice/core/ports"
import { DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { property, test, twenty } from "./check.ts"
import { seedMember, seedTenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedCall = Effect.gen(function*() {
  const { organization, user } = yield* seedTenant
  const call: IdempotentCall = { organizationId: organization.id, userId: user.id, key: "key", fingerprint: "one" }
  const at = yield* now
  return { at, call, expiresAt: DateTime.add(at, { hours: 24 }) }
})

const begin = Effect.fnUntraced(function*(call: IdempotentCall, at: DateTime.Utc, expiresAt: DateTime.Utc) {
  const begun = yield* (yield* IdempotencyStore).begin(call, at, expiresAt)
  return begun._tag === "done" ? begun.result : begun._tag
})

/** What one key may meet. Time is an argument of this port, so it needs no clock. */
const history = Schema.Array(Schema.Struct({
  act: Schema.Literals(["begin", "begin", "complete", "abandon"]),
  fingerprint: Schema.Literals(["one", "two"]),
  waitMillis: Schema.Literals([0, 0, 1, 999, 1000, 1001])
})).check(Schema.isMaxLength(20))

export const idempotencyStoreContract = storeContract("IdempotencyStore", () => [
  test("lets exactly one of twenty callers begin", Effect.gen(function*() {
    const { at, call, expiresAt } = yield* seedCall
    const answers = yield* twenty(() => begin(call, at, expiresAt))
    assert.strictEqual(answers.filter((answer) => answer === "begun").length, 1)
    assert.strictEqual(answers.filter((answer) => answer === "pending").length, 19)
  })),
  property("answers done with the first result", Schema.Struct({ key: Schema.String, result: Schema.String }), (given) =>
    Effect.gen(function*() {
      const store = yield* IdempotencyStore
      const { at, call: { key: _, ...rest }, expiresAt } = yield* seedCall
      const call = { ...rest, key: given.key }
      assert.strictEqual(yield* begin(call, at, expiresAt), "begun")
      yield* store.complete(call, given.result)
      assert.deepStrictEqual(yield* store.begin(call, at, expiresAt), { _tag: "done", result: given.result })
      assert.deepStrictEqual(yield* store.begin(call, at, expiresAt), { _tag: "done", result: given.result })
    })),
  test("answers pending while the first has not ended", Effect.gen(function*() {
    const { at, call, expiresAt } = yield* seedCall
    yield* begin(call, at, expiresAt)
    assert.strictEqual(yield* begin(call, DateTime.add(at, { hours: 23 }), expiresAt), "pending")
  })),
  test("answers mismatch when the key stands for another call, before and after it is done", Effect.gen(function*() {
    const store = yield* IdempotencyStore
    const { at, call, expiresAt } = yield* seedCall
    yield* begin(call, at, expiresAt)
    assert.strictEqual(yield* begin({ ...call, fingerprint: "two" }, at, expiresAt), "mismatch")
    yield* store.complete(call, "{}")
    assert.strictEqual(yield* begin({ ...call, fingerprint: "two" }, at, expiresAt), "mismatch")
    assert.strictEqual(yield* begin(call, at, expiresAt), "{}")
  })),
  test("frees a key when it expires, done or not", Effect.gen(function*() {
    const store = yield* IdempotencyStore
    const { at, call, expiresAt } = yield* seedCall
    const after = DateTime.add(expiresAt, { hours: 24 })
    yield* begin(call, at, expiresAt)
    yield* store.complete(call, "{}")
    assert.strictEqual(yield* begin(call, DateTime.subtract(expiresAt, { milliseconds: 1 }), after), "{}")
    assert.strictEqual(yield* begin({ ...call, fingerprint: "two" }, expiresAt, after), "begun")
    assert.strictEqual(yield* begin({ ...call, fingerprint: "two" }, expiresAt, after), "pending")
    assert.strictEqual(yield* begin(call, after, DateTime.add(after, { hours: 1 })), "begun")
  })),
  test("lets exactly one of twenty callers begin anew when the key has expired", Effect.gen(function*() {
    const { at, call, expiresAt } = yield* seedCall
    yield* begin(call, at, expiresAt)
    const answers = yield* twenty(() => begin(call, expiresAt, DateTime.add(expiresAt, { hours: 1 })))
    assert.strictEqual(answers.filter((answer) => answer === "begun").length, 1)
  })),
  test("frees the key of a call that is abandoned", Effect.gen(function*() {
    const store = yield* IdempotencyStore
    const { at, call, expiresAt } = yield* seedCall
    yield* begin(call, at, expiresAt)
    yield* store.abandon(call)
    assert.strictEqual(yield* begin({ ...call, fingerprint: "two" }, at, expiresAt), "begun")
  })),
  test("keeps a result that is there: it is not abandoned and not replaced", Effect.gen(function*() {
    const store = yield* IdempotencyStore
    const { at, call, expiresAt } = yield* seedCall
    yield* begin(call, at, expiresAt)
    yield* store.complete(call, "first")
    yield* store.complete(call, "second")
    yield* store.abandon(call)
    assert.strictEqual(yield* begin(call, at, expiresAt), "first")
  })),
  test("keeps the keys of users and of organizations apart", Effect.gen(function*() {
    const store = yield* IdempotencyStore
    const { at, call, expiresAt } = yield* seedCall
    const { user: colleague } = yield* seedMember(call.organizationId)
    const other = yield* seedTenant
    const places: ReadonlyArray<{ readonly organizationId: OrganizationId; readonly userId: UserId }> = [
      { organizationId: call.organizationId, userId: colleague.id },
      { organizationId: other.organization.id, userId: call.userId }
    ]
    yield* begin(call, at, expiresAt)
    yield* store.complete(call, "mine")
    for (const place of places) {
      const theirs = { ...call, ...place }
      yield* store.complete(theirs, "theirs")
      yield* store.abandon(theirs)
      assert.strictEqual(yield* begin(theirs, at, expiresAt), "begun")
      yield* store.complete(theirs, "theirs")
    }
    assert.strictEqual(yield* begin(call, at, expiresAt), "mine")
  })),
  property("agrees with a plain map on any history", history, (steps) =>
    Effect.gen(function*() {
      const store = yield* IdempotencyStore
      const { at: start, call } = yield* seedCall
      let at = start
      let model: { fingerprint: string; result?: string; expiresAt: number } | undefined
      for (const [place, { act, fingerprint, waitMillis }] of steps.entries()) {
        at = DateTime.add(at, { milliseconds: waitMillis })
        const mine = { ...call, fingerprint }
        const isOpen = model?.fingerprint === fingerprint && model.result === undefined
        if (act === "complete") {
          yield* store.complete(mine, String(place))
          if (isOpen) model = { ...model!, result: String(place) }
        } else if (act === "abandon") {
          yield* store.abandon(mine)
          if (isOpen) model = undefined
        } else {
          const free = model === undefined || model.expiresAt <= DateTime.toEpochMillis(at)
          const expiresAt = DateTime.add(at, { milliseconds: 1000 })
          const expected = free
            ? "begun"
            : model!.fingerprint !== fingerprint
            ? "mismatch"
            : model!.result ?? "pending"
          if (free) model = { fingerprint, expiresAt: DateTime.toEpochMillis(expiresAt) }
          assert.strictEqual(yield* begin(mine, at, expiresAt), expected)
        }
      }
    }))
])
