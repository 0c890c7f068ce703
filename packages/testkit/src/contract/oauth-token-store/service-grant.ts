import { now } from "@coppice/core"
import type { Grant, NewTokens, OAuthClient } from "@coppice/core"
import { GrantStore, OAuthTokenStore } from "@coppice/core/ports"
import { DateTime, Effect } from "effect"
import { assert } from "vitest"
import { test, twenty } from "../check.ts"
import { newGrant, newTokens, seedService, wide } from "../seed-oauth.ts"
import { seedMember, seedTenant, type Tenant } from "../seed.ts"
import { pass, type StoreCapabilities, type StoreTest } from "../store-contract.ts"

type Service = { readonly client: OAuthClient; readonly tenant: Pick<Tenant, "organization" | "user"> }

const seeded = Effect.gen(function*() {
  const tenant = yield* seedTenant
  const { client, user } = yield* seedService(tenant)
  return { client, tenant: { ...tenant, user } }
})

/** Tokens that a service client asked for by itself, with the grant that it asked by. */
const ask = Effect.fnUntraced(function*({ client, tenant }: Service, fields: Partial<Grant> = {}, accessMillis = 3_600_000) {
  const { redirectUri: _, ...grant } = yield* newGrant(tenant, client, { scope: [], ...fields })
  const { refresh: __, ...tokens } = yield* newTokens({ scope: [], accessMillis })
  yield* (yield* OAuthTokenStore).issue(grant, tokens)
  return { grant, tokens }
})

const listed = ({ tenant }: Service) =>
  Effect.flatMap(GrantStore, (store) => Effect.map(store.list(tenant.organization.id, undefined, {}), ({ items }) => items))

const grantOf = ({ accessHash }: NewTokens) =>
  Effect.flatMap(OAuthTokenStore, (store) => Effect.map(store.identify(accessHash), (principal) => principal?.grant?.id))

export const serviceGrantTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  test("has all tokens of a service client hang on one grant, and count in one bucket", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const service = yield* seeded
    const [first, second] = [yield* ask(service), yield* ask(service)]
    assert.deepStrictEqual((yield* listed(service)).map(({ id }) => id), [first.grant.id])
    yield* store.authenticate(first.tokens.accessHash, wide)
    const { principal, usage } = (yield* store.authenticate(second.tokens.accessHash, wide))!
    assert.strictEqual(principal.grant?.id, first.grant.id)
    assert.strictEqual(usage.remaining, wide.max - 2)
  })),
  test("has one grant for twenty who ask at once, and a token for each", Effect.gen(function*() {
    const service = yield* seeded
    const asked = yield* twenty(() => ask(service))
    const [grant, ...more] = yield* listed(service)
    assert.deepStrictEqual(more, [])
    const grants = yield* Effect.forEach(asked, ({ tokens }) => grantOf(tokens))
    assert.deepStrictEqual(grants, asked.map(() => grant!.id))
  })),
  test("lets that grant last as long as the newest asks for, never less, and its tokens no longer than they did", Effect.gen(function*() {
    const service = yield* seeded
    const at = yield* now
    const in_ = (seconds: number) => DateTime.add(at, { seconds })
    const old = yield* ask(service, { expiresAt: in_(2) })
    const longer = yield* ask(service, { expiresAt: in_(3600), updatedAt: in_(1) })
    yield* ask(service, { expiresAt: in_(60), updatedAt: in_(2) })
    const [grant] = yield* listed(service)
    assert.deepStrictEqual([grant?.expiresAt, grant?.updatedAt].map((time) => time && DateTime.toEpochMillis(time)), [
      DateTime.toEpochMillis(in_(3600)),
      DateTime.toEpochMillis(in_(2))
    ])
    yield* pass(capabilities, 2000)
    assert.isUndefined(yield* grantOf(old.tokens))
    assert.strictEqual(yield* grantOf(longer.tokens), old.grant.id)
  })),
  test("takes up a grant that is over, and not what hung on it", Effect.gen(function*() {
    const service = yield* seeded
    const over = yield* ask(service, { expiresAt: yield* now })
    assert.isUndefined(yield* grantOf(over.tokens))
    const again = yield* ask(service)
    assert.strictEqual(yield* grantOf(again.tokens), over.grant.id)
    assert.isUndefined(yield* grantOf(over.tokens))
  })),
  test("begins a new grant after one that was revoked, which stays so", Effect.gen(function*() {
    const service = yield* seeded
    const { organization } = service.tenant
    const first = yield* ask(service)
    yield* (yield* GrantStore).revoke(organization.id, first.grant.id, undefined, yield* now)
    const second = yield* ask(service)
    assert.isUndefined(yield* grantOf(first.tokens))
    assert.strictEqual(yield* grantOf(second.tokens), second.grant.id)
    assert.deepStrictEqual((yield* listed(service)).map(({ id }) => id), [second.grant.id])
  })),
  test("keeps grants of other clients, users, resources and scopes apart", Effect.gen(function*() {
    const [service, other] = [yield* seeded, yield* seeded]
    const { organization } = service.tenant
    const { user } = yield* seedMember(organization.id)
    const asked = [
      yield* ask(service),
      yield* ask(other),
      yield* ask({ ...service, tenant: { organization, user } }),
      yield* ask(service, { resource: "https://other.example.com" }),
      yield* ask(service, { scope: ["email"] }),
      yield* ask(service, { scope: ["email", "profile"] })
    ]
    for (const { grant, tokens } of asked) assert.strictEqual(yield* grantOf(tokens), grant.id)
  }))
]
