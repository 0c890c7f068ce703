import { Access, ApiKey, type Limit, newId, now, ProjectId, ProjectIds } from "@coppice/core"
import { ApiKeyStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { idsOf, property, sameAll, test } from "../check.ts"
import { seedMember, seedTenant } from "../seed.ts"
import { pass, type StoreCapabilities, type StoreTest } from "../store-contract.ts"
import { seedKey } from "./seed-key.ts"

const limit: Limit = { max: 100, windowSeconds: 3600 }

const newProjectIds = (length: number) => Effect.forEach(Array.from({ length }), () => newId(ProjectId))

const access = Arbitrary.all({
  access: Arbitrary.schema(Access),
  projects: Arbitrary.schema(Schema.Literals(["all", 1, 3]))
})

const lastUse = (key: ApiKey) =>
  Effect.gen(function*() {
    const { items } = yield* (yield* ApiKeyStore).list(key.organizationId, {}, {})
    return items.find(({ id }) => id === key.id)?.lastUsedAt
  })

/** What a key opens, and when it last did. */
export const accessTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  property("keeps what a key opens, and answers it of whoever presents it", access, ({ access, projects }) =>
    Effect.gen(function*() {
      const store = yield* ApiKeyStore
      const tenant = yield* seedTenant
      const { user } = yield* seedMember(tenant.organization.id)
      const opened = { access, ...(projects === "all" ? {} : { projectIds: yield* newProjectIds(projects) }) }
      const { hash, key } = yield* seedKey(tenant, { userId: user.id, ...opened })
      sameAll(ApiKey, (yield* store.list(tenant.organization.id, {}, {})).items, [key])
      const principal = { organizationId: tenant.organization.id, userId: user.id, role: "member", apiKeyId: key.id, ...opened }
      assert.deepStrictEqual<unknown>((yield* store.authenticate(hash, limit))?.principal, principal)
      assert.deepStrictEqual<unknown>(yield* store.identify(hash), principal)
    })),
  test("keeps a key of as many projects as one can have", Effect.gen(function*() {
    const projectIds = yield* newProjectIds(100)
    assert.isTrue(Schema.is(ProjectIds)(projectIds))
    const { hash } = yield* seedKey(yield* seedTenant, { projectIds })
    assert.deepStrictEqual((yield* (yield* ApiKeyStore).identify(hash))?.projectIds, projectIds)
  })),
  test("lists and ends the keys of one user where these are asked for, by id and by name", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const { id } = tenant.organization
    const { user } = yield* seedMember(id)
    const theirs = yield* seedKey(tenant, { userId: user.id, name: "Laptop" })
    const owners = yield* seedKey(tenant, { name: "Laptop" })
    const filter = { userId: user.id }
    const at = yield* now
    assert.deepStrictEqual(idsOf((yield* store.list(id, filter, {})).items), [theirs.key.id])
    assert.isUndefined(yield* store.revoke(id, filter, owners.key.id, at))
    assert.strictEqual((yield* store.revoke(id, filter, "Laptop", at))?.id, theirs.key.id)
    assert.strictEqual((yield* store.revoke(id, filter, "Laptop", at))?.id, theirs.key.id)
    assert.isDefined(yield* store.authenticate(owners.hash, limit))
    assert.isUndefined(yield* store.authenticate(theirs.hash, limit))
  })),
  test("remembers that a key was used, not who only asked whose it is, and nothing of other keys", Effect.gen(function*() {
    const store = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const { hash, key } = yield* seedKey(tenant)
    const other = yield* seedKey(tenant)
    yield* store.identify(hash)
    assert.isUndefined(yield* lastUse(key))
    yield* store.authenticate(hash, limit)
    const first = yield* lastUse(key)
    assert.isDefined(first)
    // Uses within a minute are one use, and write nothing.
    yield* store.authenticate(hash, limit)
    assert.deepStrictEqual(yield* lastUse(key), first)
    assert.isUndefined(yield* lastUse(other.key))
  })),
  ...(capabilities.clock === "test"
    ? [
      test("remembers the last use to the minute", Effect.gen(function*() {
        const store = yield* ApiKeyStore
        const { hash, key } = yield* seedKey(yield* seedTenant)
        const usedAfter = (seconds: number) =>
          Effect.gen(function*() {
            yield* pass(capabilities, seconds * 1000)
            yield* store.authenticate(hash, limit)
            return DateTime.toEpochMillis((yield* lastUse(key))!) - DateTime.toEpochMillis(key.createdAt)
          })
        assert.strictEqual(yield* usedAfter(0), 0)
        assert.strictEqual(yield* usedAfter(59), 0)
        assert.strictEqual(yield* usedAfter(1), 60_000)
        assert.strictEqual(yield* usedAfter(59), 60_000)
      }))
    ]
    : [])
]
