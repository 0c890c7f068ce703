import { ApiKey, ApiKeyId, credentialOf, hit, type Limit, type McpSignal, newId, now, type SecretHash, type Window } from "@coppice/core"
import { ApiKeyStore, McpSessionStore } from "@coppice/core/ports"
import { Arbitrary, Clock, DateTime, Effect, Queue, Schema } from "effect"
import { assert } from "vitest"
import { beforeLong, fiveTimes, idsOf, instants, pagesThrough, property, same, test, twenty } from "./check.ts"
import { accessTests } from "./api-key-store/access.ts"
import { seedKey } from "./api-key-store/seed-key.ts"
import { seedHash, seedMember, seedTenant } from "./seed.ts"
import { pass, storeContract } from "./store-contract.ts"

const limit: Limit = { max: 3, windowSeconds: 3600 }

const keyFields = Arbitrary.all({
  name: Arbitrary.schema(ApiKey.fields.name),
  expiresAt: instants,
  revokedAt: instants,
  createdAt: instants,
  expires: Arbitrary.schema(Schema.Boolean),
  revoked: Arbitrary.schema(Schema.Boolean)
})

/** What three keys may meet: requests, and time that passes. */
const history = Schema.Array(Schema.Struct({
  key: Schema.Literals([0, 1, 2]),
  waitMillis: Schema.Literals([0, 0, 0, 1, 400, 999, 1000, 1999, 2000, 2001, 5000])
})).check(Schema.isMaxLength(30))

export const apiKeyStoreContract = storeContract("ApiKeyStore", (capabilities) => [
  property(
    "stores a key under its hash, and lists it as it was given",
    keyFields,
    ({ expires, expiresAt, revoked, revokedAt, ...fields }) =>
      Effect.gen(function*() {
        const tenant = yield* seedTenant
        const { key } = yield* seedKey(tenant, {
          ...fields,
          ...(expires ? { expiresAt } : {}),
          ...(revoked ? { revokedAt } : {})
        })
        const { items } = yield* (yield* ApiKeyStore).list(tenant.organization.id, {}, {})
        same(Schema.Array(ApiKey), items, [key])
      })
  ),
  test("lists the keys of an organization, newest first, revoked and expired ones too", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const at = yield* now
    yield* seedKey(yield* seedTenant)
    const expired = yield* seedKey(tenant, { expiresAt: at })
    const revoked = yield* seedKey(tenant, { revokedAt: at })
    const valid = yield* seedKey(tenant)
    const { items } = yield* (yield* ApiKeyStore).list(tenant.organization.id, {}, {})
    assert.deepStrictEqual(idsOf(items), [valid.key.id, revoked.key.id, expired.key.id])
  })),
  test("finds a key by its id, revoked and expired ones too, of an organization or of one user in it", Effect.gen(function*() {
    const [store, tenant, at] = [yield* ApiKeyStore, yield* seedTenant, yield* now]
    const { id } = tenant.organization
    const { user } = yield* seedMember(id)
    const { key } = yield* seedKey(tenant, { expiresAt: at, revokedAt: at })
    same(ApiKey, yield* store.find(id, {}, key.id), key)
    same(ApiKey, yield* store.find(id, { userId: tenant.user.id }, key.id), key)
    assert.isUndefined(yield* store.find(id, { userId: user.id }, key.id))
    assert.isUndefined(yield* store.find((yield* seedTenant).organization.id, {}, key.id))
    assert.isUndefined(yield* store.find(id, {}, yield* newId(ApiKeyId)))
  })),
  test("lists page by page", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const keys = yield* fiveTimes(seedKey(tenant))
    const store = yield* ApiKeyStore
    yield* pagesThrough(keys.map(({ key }) => key), (page) => store.list(tenant.organization.id, {}, page))
  })),
  test("ends a key at once", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const { hash, key } = yield* seedKey(tenant)
    assert.isDefined(yield* store.identify(hash))
    const later = DateTime.add(yield* now, { hours: 1 })
    const revoked = yield* store.revoke(tenant.organization.id, {}, key.id, later)
    assert.isUndefined(yield* store.authenticate(hash, limit))
    same(ApiKey, revoked, { ...key, revokedAt: later, updatedAt: later })
    same(Schema.Array(ApiKey), (yield* store.list(tenant.organization.id, {}, {})).items, [revoked])
  })),
  test("tells those who listen to what depends on a key that it ended", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { key } = yield* seedKey(tenant)
    const other = yield* seedKey(tenant)
    const heard = yield* Queue.unbounded<McpSignal>()
    const elsewhere: Array<McpSignal> = []
    const sessions = yield* McpSessionStore
    const listen = (id: ApiKeyId, tell: (signal: McpSignal) => void) =>
      sessions.listen({ credential: credentialOf({ apiKeyId: id }) }, tell)
    yield* listen(key.id, (signal) => void Queue.offerUnsafe(heard, signal))
    yield* listen(other.key.id, (signal) => void elsewhere.push(signal))
    // Whoever has just connected may have missed something, and is told so.
    yield* Queue.clear(heard)
    elsewhere.length = 0
    yield* (yield* ApiKeyStore).revoke(tenant.organization.id, {}, key.id, yield* now)
    assert.deepStrictEqual(yield* beforeLong(Queue.take(heard), "nobody was told"), { _tag: "Changed" })
    assert.deepStrictEqual(elsewhere, [])
  })),
  test("ends a key by its name", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const other = yield* seedKey(tenant, { name: "Another" })
    const { hash, key } = yield* seedKey(tenant, { name: "Laptop" })
    assert.strictEqual((yield* store.revoke(tenant.organization.id, {}, "Laptop", yield* now))?.id, key.id)
    assert.isUndefined(yield* store.authenticate(hash, limit))
    assert.isDefined(yield* store.authenticate(other.hash, limit))
  })),
  test("answers undefined when the organization has no key with that id or name", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    assert.isUndefined(yield* store.revoke(tenant.organization.id, {}, yield* newId(ApiKeyId), yield* now))
    assert.isUndefined(yield* store.revoke(tenant.organization.id, {}, "no such key", yield* now))
  })),
  test("shows and ends no key of another organization", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const { hash, key } = yield* seedKey(yield* seedTenant, { name: "Theirs" })
    const { organization } = yield* seedTenant
    assert.deepStrictEqual((yield* store.list(organization.id, {}, {})).items, [])
    assert.isUndefined(yield* store.revoke(organization.id, {}, key.id, yield* now))
    assert.isUndefined(yield* store.revoke(organization.id, {}, "Theirs", yield* now))
    assert.isDefined(yield* store.authenticate(hash, limit))
  })),
  test("keeps the first revokedAt of a key that was revoked before", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const { key } = yield* seedKey(tenant)
    const at = yield* now
    const first = yield* store.revoke(tenant.organization.id, {}, key.id, at)
    same(ApiKey, yield* store.revoke(tenant.organization.id, {}, key.id, DateTime.add(at, { hours: 1 })), first)
  })),
  test("keeps one revokedAt under twenty who revoke at once", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const { key } = yield* seedKey(tenant)
    const at = yield* now
    const answers = yield* twenty((hours) => store.revoke(tenant.organization.id, {}, key.id, DateTime.add(at, { hours })))
    const revokedAt = answers.map((answer) => DateTime.toEpochMillis(answer!.revokedAt!))
    assert.strictEqual(new Set(revokedAt).size, 1)
  })),
  test("answers who presents a key: organization, user, role and key", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { user } = yield* seedMember(tenant.organization.id)
    const { hash, key } = yield* seedKey(tenant, { userId: user.id })
    const answer = yield* (yield* ApiKeyStore).authenticate(hash, limit)
    assert.deepStrictEqual(answer?.principal, {
      organizationId: tenant.organization.id,
      userId: user.id,
      role: "member",
      access: "full",
      apiKeyId: key.id
    })
  })),
  test("counts each presentation against the limit, in a bucket of the key's own", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const first = yield* seedKey(tenant)
    const second = yield* seedKey(tenant)
    const ask = (hash: SecretHash) =>
      Effect.map(store.authenticate(hash, limit), (answer) => [answer?.usage.allowed, answer?.usage.remaining])
    assert.deepStrictEqual(yield* ask(first.hash), [true, 2])
    assert.deepStrictEqual(yield* ask(first.hash), [true, 1])
    assert.deepStrictEqual(yield* ask(second.hash), [true, 2])
    assert.deepStrictEqual(yield* ask(first.hash), [true, 0])
    assert.deepStrictEqual(yield* ask(first.hash), [false, 0])
    assert.deepStrictEqual(yield* ask(second.hash), [true, 1])
  })),
  test("admits exactly the limit of twenty who present a key at once", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const { hash } = yield* seedKey(yield* seedTenant)
    const answers = yield* twenty(() => store.authenticate(hash, { max: 12, windowSeconds: 3600 }))
    const admitted = answers.flatMap((answer) => answer?.usage.allowed === true ? [answer.usage.remaining] : [])
    assert.deepStrictEqual(admitted.toSorted((left, right) => left - right), Array.from({ length: 12 }, (_, left) => left))
  })),
  test("counts a batch as so many requests, and refuses it whole when they are too many", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const { hash } = yield* seedKey(yield* seedTenant)
    const large: Limit = { max: 10, windowSeconds: 3600 }
    const ask = (hits: number) =>
      Effect.map(store.authenticate(hash, large, hits), (answer) => [answer?.usage.allowed, answer?.usage.remaining])
    assert.deepStrictEqual(yield* ask(4), [true, 6])
    assert.deepStrictEqual(yield* ask(6), [true, 0])
    assert.deepStrictEqual(yield* ask(2), [false, 0])
  })),
  test("identifies who presents a key as it authenticates them, and counts it nowhere", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const { hash, key } = yield* seedKey(tenant)
    yield* twenty(() => store.identify(hash))
    const principal = yield* store.identify(hash)
    const answer = yield* store.authenticate(hash, limit)
    assert.deepStrictEqual(principal, answer?.principal)
    assert.strictEqual(answer?.usage.remaining, 2)
    assert.isUndefined(yield* store.identify(yield* seedHash("apiKey")))
    yield* store.revoke(tenant.organization.id, {}, key.id, yield* now)
    assert.isUndefined(yield* store.identify(hash))
  })),
  test("knows nobody for a hash that is unknown, and counts it nowhere", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const { hash } = yield* seedKey(yield* seedTenant)
    const unknown = yield* seedHash("apiKey")
    yield* twenty(() => Effect.map(store.authenticate(unknown, limit), (answer) => assert.isUndefined(answer)))
    assert.strictEqual((yield* store.authenticate(hash, limit))?.usage.remaining, 2)
  })),
  test("knows nobody for an expired key, by the store's clock", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const { hash } = yield* seedKey(yield* seedTenant, { expiresAt: DateTime.add(yield* now, { seconds: 2 }) })
    assert.isDefined(yield* store.authenticate(hash, limit))
    yield* pass(capabilities, 2000)
    assert.isUndefined(yield* store.authenticate(hash, limit))
  })),
  test("knows nobody for a revoked key", Effect.gen(function*() {
    const { hash } = yield* seedKey(yield* seedTenant, { revokedAt: yield* now })
    assert.isUndefined(yield* (yield* ApiKeyStore).authenticate(hash, limit))
  })),
  test("knows nobody for a key whose user is not a member of its organization", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const stranger = yield* seedTenant
    const { hash } = yield* seedKey(tenant, { userId: stranger.user.id })
    assert.isUndefined(yield* (yield* ApiKeyStore).authenticate(hash, limit))
  })),
  test("opens the next window when the one before has closed, by the store's clock", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const { hash } = yield* seedKey(yield* seedTenant)
    const short: Limit = { max: 1, windowSeconds: 1 }
    const first = yield* store.authenticate(hash, short)
    assert.deepStrictEqual(first?.usage, { allowed: true, limit: short, remaining: 0, resetSeconds: 1 })
    yield* pass(capabilities, 1000)
    assert.strictEqual((yield* store.authenticate(hash, short))?.usage.allowed, true)
  })),
  property("agrees with the policy on any history", history, (steps) =>
    Effect.gen(function*() {
      const store = yield* ApiKeyStore
      const tenant = yield* seedTenant
      const keys = yield* Effect.forEach([0, 1, 2], () => seedKey(tenant))
      const moves = capabilities.clock === "test"
      const policy: Limit = { max: 3, windowSeconds: moves ? 2 : 3600 }
      const model = new Map<number, Window>()
      for (const { key, waitMillis } of steps) {
        if (moves) yield* pass(capabilities, waitMillis)
        const [window, expected] = hit(policy, model.get(key), yield* Clock.currentTimeMillis)
        model.set(key, window)
        const answer = yield* store.authenticate(keys[key]!.hash, policy)
        if (moves) assert.deepStrictEqual(answer?.usage, expected)
        else assert.deepStrictEqual({ ...answer!.usage, resetSeconds: 0 }, { ...expected, resetSeconds: 0 })
      }
    })),
  ...accessTests(capabilities)
])
