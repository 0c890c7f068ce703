import { newId, SigningKey, SigningKeyId, type Timestamp } from "@coppice/core"
import { SigningKeyStore } from "@coppice/core/ports"
import { DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { idsOf, property, same, test, twenty } from "./check.ts"
import { storeContract } from "./store-contract.ts"

const jwks = Schema.Struct({ publicJwk: Schema.String, privateJwk: Schema.String })
const inDays = (at: Timestamp, days: number) => DateTime.add(at, { days })
const beginning = DateTime.makeUnsafe(0)

/** A day after all keys that there are have retired: the keys of other tests are in the same store. */
const newDay = Effect.gen(function*() {
  const keys = yield* (yield* SigningKeyStore).list(beginning)
  const last = Math.max(0, ...keys.map(({ retiresAt }) => DateTime.toEpochMillis(retiresAt)))
  return inDays(DateTime.makeUnsafe(last), 1)
})

/** A key that is used from the next day on, for nine days. */
const newKey = Effect.fnUntraced(function*(createdAt: Timestamp, fields: Partial<SigningKey> = {}) {
  const key: SigningKey = {
    id: yield* newId(SigningKeyId),
    publicJwk: `{"kty":"RSA"}`,
    privateJwk: `{"kty":"RSA","d":"AQAB"}`,
    createdAt,
    signsFrom: inDays(createdAt, 1),
    retiresAt: inDays(createdAt, 10),
    ...fields
  }
  return key
})

export const signingKeyStoreContract = storeContract("SigningKeyStore", () => [
  property("keeps a key as it was given", jwks, (fields) =>
    Effect.gen(function*() {
      const store = yield* SigningKeyStore
      const at = yield* newDay
      const key = yield* newKey(at, fields)
      same(Schema.Array(SigningKey), yield* store.add(key, at), [key])
      same(Schema.Array(SigningKey), yield* store.list(at), [key])
    })),
  test("lists the keys that have not retired, the newest first", Effect.gen(function*() {
    const store = yield* SigningKeyStore
    const at = yield* newDay
    const first = yield* newKey(at)
    yield* store.add(first, at)
    const second = yield* newKey(inDays(at, 5))
    const there = yield* store.add(second, inDays(at, 2))
    assert.deepStrictEqual(idsOf(there), [second.id, first.id])
    assert.deepStrictEqual(idsOf(yield* store.list(DateTime.subtract(first.retiresAt, { milliseconds: 1 }))), [second.id, first.id])
    assert.deepStrictEqual(idsOf(yield* store.list(first.retiresAt)), [second.id])
    assert.deepStrictEqual(yield* store.list(second.retiresAt), [])
  })),
  test("adds no key while there is one that signs from then or later, and answers that", Effect.gen(function*() {
    const store = yield* SigningKeyStore
    const at = yield* newDay
    const key = yield* newKey(at)
    yield* store.add(key, at)
    const other = yield* newKey(at)
    assert.deepStrictEqual(idsOf(yield* store.add(other, key.signsFrom)), [key.id])
    assert.deepStrictEqual(idsOf(yield* store.list(at)), [key.id])
    assert.deepStrictEqual(idsOf(yield* store.add(other, DateTime.add(key.signsFrom, { milliseconds: 1 }))), [other.id, key.id])
  })),
  test("adds one of twenty keys that are added at once, and answers it to all", Effect.gen(function*() {
    const store = yield* SigningKeyStore
    const at = yield* newDay
    const answers = yield* twenty(() => Effect.flatMap(newKey(at), (key) => store.add(key, at)))
    const stored = idsOf(yield* store.list(at))
    assert.strictEqual(stored.length, 1)
    for (const answer of answers) assert.deepStrictEqual(idsOf(answer), stored)
  }))
])
