import { Grant, hit, type Limit, now, type SecretHash, type Window } from "@coppice/core"
import { GrantStore, MemberStore, OAuthTokenStore } from "@coppice/core/ports"
import { Clock, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { property, same, test, twenty } from "../check.ts"
import { newTokens, seedTokens, wide } from "../seed-oauth.ts"
import { seedHash, seedMember, seedTenant, type Tenant } from "../seed.ts"
import { pass, type StoreCapabilities, type StoreTest } from "../store-contract.ts"

const limit: Limit = { max: 3, windowSeconds: 3600 }

/** What three grants may meet: requests, and time that passes. */
const history = Schema.Array(Schema.Struct({
  grant: Schema.Literals([0, 1, 2]),
  waitMillis: Schema.Literals([0, 0, 0, 1, 400, 999, 1000, 1999, 2000, 2001, 5000])
})).check(Schema.isMaxLength(30))

const given = Schema.Struct({ scope: Schema.Array(Schema.String), resource: Schema.String })
const NamedGrant = Schema.Struct({ ...Grant.fields, clientName: Schema.String })

const lastUse = Effect.fnUntraced(function*({ organization }: Tenant) {
  const { items: [grant] } = yield* (yield* GrantStore).list(organization.id, undefined, {})
  return grant?.lastUsedAt && DateTime.toEpochMillis(grant.lastUsedAt)
})

/** Asserts that a token opens nothing, whichever way it is looked at. */
const opensNothing = Effect.fnUntraced(function*(hash: SecretHash) {
  const store = yield* OAuthTokenStore
  assert.isUndefined(yield* store.authenticate(hash, limit))
  assert.isUndefined(yield* store.identify(hash))
})

const asking = (hash: SecretHash, hits?: number) =>
  Effect.gen(function*() {
    const usage = (yield* (yield* OAuthTokenStore).authenticate(hash, limit, hits))?.usage
    return [usage?.allowed, usage?.remaining]
  })

export const accessTokenTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  property("stores a grant that needs nobody's consent, with its tokens", given, (fields) =>
    Effect.gen(function*() {
      const tenant = yield* seedTenant
      const { access, client, grant } = yield* seedTokens(tenant, { grant: fields, tokens: { scope: fields.scope } })
      const { items } = yield* (yield* GrantStore).list(tenant.organization.id, undefined, {})
      same(Schema.Array(NamedGrant), items, [{ ...grant, clientName: "Seeded" }])
      const { principal } = (yield* (yield* OAuthTokenStore).authenticate(access, wide))!
      assert.deepStrictEqual(principal.grant, { id: grant.id, clientId: client.id, ...fields })
    })),
  test("answers who presents a token: organization, user, role as it is now, and the grant with the token's own scope", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { user } = yield* seedMember(tenant.organization.id)
    const { access, client, grant } = yield* seedTokens({ ...tenant, user }, { tokens: { scope: ["email"] } })
    const store = yield* OAuthTokenStore
    const principal = {
      organizationId: tenant.organization.id,
      userId: user.id,
      role: "member",
      grant: { id: grant.id, clientId: client.id, scope: ["email"], resource: grant.resource }
    }
    assert.deepStrictEqual((yield* store.authenticate(access, wide))?.principal, principal as never)
    yield* (yield* MemberStore).setRole(tenant.organization.id, user.id, "admin", yield* now)
    assert.strictEqual((yield* store.authenticate(access, wide))?.principal.role, "admin")
  })),
  test("counts each presentation against the limit, in a bucket of the grant's own", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const [first, second] = [yield* seedTokens(tenant), yield* seedTokens(tenant)]
    const renewed = yield* newTokens()
    yield* (yield* OAuthTokenStore).rotate(first.refresh, renewed, { graceMillis: 0, maxReuses: 0 })
    assert.deepStrictEqual(yield* asking(first.access), [true, 2])
    assert.deepStrictEqual(yield* asking(renewed.accessHash), [true, 1])
    assert.deepStrictEqual(yield* asking(second.access), [true, 2])
    assert.deepStrictEqual(yield* asking(first.access), [true, 0])
    assert.deepStrictEqual(yield* asking(renewed.accessHash), [false, 0])
    assert.deepStrictEqual(yield* asking(second.access), [true, 1])
  })),
  test("admits exactly the limit of twenty who present a token at once", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const { access } = yield* seedTokens(yield* seedTenant)
    const answers = yield* twenty(() => store.authenticate(access, { max: 12, windowSeconds: 3600 }))
    const admitted = answers.flatMap((answer) => answer?.usage.allowed === true ? [answer.usage.remaining] : [])
    assert.deepStrictEqual(admitted.toSorted((left, right) => left - right), Array.from({ length: 12 }, (_, left) => left))
  })),
  test("counts a batch as so many requests, and refuses it whole when they are too many", Effect.gen(function*() {
    const { access } = yield* seedTokens(yield* seedTenant)
    assert.deepStrictEqual(yield* asking(access, 2), [true, 1])
    assert.deepStrictEqual(yield* asking(access, 2), [false, 0])
  })),
  property("agrees with the policy on any history", history, (steps) =>
    Effect.gen(function*() {
      const store = yield* OAuthTokenStore
      const tenant = yield* seedTenant
      const grants = yield* Effect.forEach([0, 1, 2], () => seedTokens(tenant))
      const moves = capabilities.clock === "test"
      const policy: Limit = { max: 3, windowSeconds: moves ? 2 : 3600 }
      const model = new Map<number, Window>()
      for (const { grant, waitMillis } of steps) {
        if (moves) yield* pass(capabilities, waitMillis)
        const [window, expected] = hit(policy, model.get(grant), yield* Clock.currentTimeMillis)
        model.set(grant, window)
        const answer = yield* store.authenticate(grants[grant]!.access, policy)
        if (moves) assert.deepStrictEqual(answer?.usage, expected)
        else assert.deepStrictEqual({ ...answer!.usage, resetSeconds: 0 }, { ...expected, resetSeconds: 0 })
      }
    })),
  test("identifies who presents a token as it authenticates them, and counts it nowhere and writes nothing", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const tenant = yield* seedTenant
    const { access } = yield* seedTokens(tenant)
    yield* twenty(() => store.identify(access))
    const principal = yield* store.identify(access)
    assert.isUndefined(yield* lastUse(tenant))
    const answer = yield* store.authenticate(access, limit)
    assert.deepStrictEqual(principal, answer?.principal)
    assert.strictEqual(answer?.usage.remaining, 2)
  })),
  test("remembers when a grant was used, to the minute", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const at = yield* now
    const before = (seconds: number) => ({ lastUsedAt: DateTime.subtract(at, { seconds }) })
    for (const [fields, isWritten] of [[{}, true], [before(61), true], [before(30), false]] as const) {
      const tenant = yield* seedTenant
      const { access, grant } = yield* seedTokens(tenant, { grant: fields })
      yield* store.authenticate(access, wide)
      const used = yield* lastUse(tenant)
      const kept = grant.lastUsedAt && DateTime.toEpochMillis(grant.lastUsedAt)
      assert.strictEqual(used !== kept, isWritten)
      if (isWritten) assert.isAtLeast(used!, DateTime.toEpochMillis(at))
      yield* store.authenticate(access, wide)
      assert.strictEqual(yield* lastUse(tenant), used)
    }
  })),
  test("knows nobody for a hash that is unknown, or is a refresh token's, and counts it nowhere", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const tenant = yield* seedTenant
    const { access, refresh } = yield* seedTokens(tenant)
    const unknown = yield* seedHash("accessToken")
    yield* twenty((number) => opensNothing(number % 2 === 0 ? unknown : refresh))
    assert.isUndefined(yield* lastUse(tenant))
    assert.strictEqual((yield* store.authenticate(access, limit))?.usage.remaining, 2)
  })),
  test("K8: knows nobody for a token that has expired, by the store's clock", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const { access } = yield* seedTokens(yield* seedTenant, { tokens: { accessMillis: 2000 } })
    assert.isDefined(yield* store.authenticate(access, limit))
    yield* pass(capabilities, 2000)
    yield* opensNothing(access)
  })),
  test("F13: knows nobody for a token whose grant is over, by the store's clock", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const expiresAt = DateTime.add(yield* now, { seconds: 2 })
    const { access } = yield* seedTokens(yield* seedTenant, { grant: { expiresAt } })
    assert.isDefined(yield* store.authenticate(access, limit))
    yield* pass(capabilities, 2000)
    yield* opensNothing(access)
  })),
  test("K9: knows nobody for a token whose grant was revoked, or whose user is no member any more", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { user } = yield* seedMember(tenant.organization.id)
    const revoked = yield* seedTokens(tenant, { grant: { revokedAt: yield* now } })
    yield* opensNothing(revoked.access)
    const { access } = yield* seedTokens({ ...tenant, user })
    assert.isDefined(yield* (yield* OAuthTokenStore).authenticate(access, limit))
    yield* (yield* MemberStore).remove(tenant.organization.id, user.id, yield* now)
    yield* opensNothing(access)
  })),
  test("stores no grant of somebody who is no member", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { user } = yield* seedTenant
    const { access } = yield* seedTokens({ ...tenant, user })
    yield* opensNothing(access)
    assert.deepStrictEqual((yield* (yield* GrantStore).list(tenant.organization.id, undefined, {})).items, [])
  }))
]
