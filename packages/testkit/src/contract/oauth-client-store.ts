import { Member, newId, now, OAuthClient, OAuthClientId, User } from "@coppice/core"
import { MemberStore, OAuthClientStore, UserStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { fiveTimes, idsOf, instants, pagesThrough, property, same, test, twenty } from "./check.ts"
import { allWorth, listenTo, newClient, newTokens, seedClient, seedService, seedTokens } from "./seed-oauth.ts"
import { seedHash, seedTenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const { authMethod, grantTypes, name, redirectUris, scope } = OAuthClient.fields
const clientFields = Arbitrary.all({
  said: Arbitrary.schema(Schema.Struct({ authMethod, grantTypes, name, redirectUris, scope })),
  createdAt: instants,
  updatedAt: instants
})

export const oauthClientStoreContract = storeContract("OAuthClientStore", () => [
  property("stores a client as it was given, with the hash of its secret where it has one", clientFields, ({ said, ...times }) =>
    Effect.gen(function*() {
      const store = yield* OAuthClientStore
      const { id } = yield* newClient()
      const client: OAuthClient = { id, ...said, ...times }
      const secretHash = said.authMethod === "none" ? undefined : yield* seedHash("clientSecret")
      yield* store.register(client, secretHash)
      const found = yield* store.find(id)
      same(OAuthClient, found?.client, client)
      assert.strictEqual(found?.secretHash, secretHash)
    })),
  test("knows no client by an id that was never given", Effect.gen(function*() {
    assert.isUndefined(yield* (yield* OAuthClientStore).find(yield* newId(OAuthClientId)))
  })),
  test("stores a service client with the member that it acts as", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { client, member, secretHash, user } = yield* seedService(tenant)
    const found = yield* (yield* OAuthClientStore).find(client.id)
    same(OAuthClient, found?.client, client)
    assert.strictEqual(found?.secretHash, secretHash)
    same(User, yield* (yield* UserStore).find(user.id), user)
    same(Member, yield* (yield* MemberStore).find(tenant.organization.id, user.id), member)
  })),
  test("lists the service clients of an organization, newest first, page by page, and no other clients", Effect.gen(function*() {
    const store = yield* OAuthClientStore
    const tenant = yield* seedTenant
    yield* seedClient()
    yield* seedService(yield* seedTenant)
    const services = yield* fiveTimes(seedService(tenant))
    yield* pagesThrough(services.map(({ client }) => client), (page) => store.services(tenant.organization.id, page))
    const { items: [newest] } = yield* store.services(tenant.organization.id, { limit: 1 })
    same(OAuthClient, newest, services.at(-1)?.client)
  })),
  test("replaces the secret of a service client", Effect.gen(function*() {
    const store = yield* OAuthClientStore
    const tenant = yield* seedTenant
    const { client } = yield* seedService(tenant)
    const secretHash = yield* seedHash("clientSecret")
    const later = DateTime.add(yield* now, { hours: 1 })
    assert.isTrue(yield* store.rotateSecret(tenant.organization.id, client.id, secretHash, later))
    const found = yield* store.find(client.id)
    assert.strictEqual(found?.secretHash, secretHash)
    same(OAuthClient, found?.client, { ...client, updatedAt: later })
  })),
  test("replaces no secret of a client that is unknown, of another organization, or registered itself", Effect.gen(function*() {
    const store = yield* OAuthClientStore
    const { organization } = yield* seedTenant
    const { client, secretHash } = yield* seedService(yield* seedTenant)
    const registered = yield* seedClient()
    const at = yield* now
    for (const id of [yield* newId(OAuthClientId), client.id, registered.id]) {
      assert.isFalse(yield* store.rotateSecret(organization.id, id, yield* seedHash("clientSecret"), at))
    }
    assert.strictEqual((yield* store.find(client.id))?.secretHash, secretHash)
    assert.deepStrictEqual(Object.keys((yield* store.find(registered.id)) ?? {}), ["client"])
  })),
  test("removes a service client with its member; its tokens end, and those who listen to what depends on them are told", Effect.gen(function*() {
    const store = yield* OAuthClientStore
    const tenant = yield* seedTenant
    const { client, user } = yield* seedService(tenant)
    const other = yield* seedService(tenant)
    const { grant, tokens } = yield* seedTokens({ ...tenant, user }, { client })
    const kept = yield* seedTokens({ ...tenant, user: other.user }, { client: other.client })
    const told = yield* listenTo(grant)
    assert.isTrue(yield* store.remove(tenant.organization.id, client.id, yield* now))
    yield* told
    assert.isUndefined(yield* store.find(client.id))
    assert.isUndefined(yield* (yield* MemberStore).find(tenant.organization.id, user.id))
    yield* allWorth([tokens], false)
    yield* allWorth([kept.tokens], true)
    assert.deepStrictEqual(idsOf((yield* store.services(tenant.organization.id, {})).items), [other.client.id])
    assert.isDefined(yield* (yield* MemberStore).find(tenant.organization.id, other.user.id))
  })),
  test("removes a service client whose member was removed before", Effect.gen(function*() {
    const store = yield* OAuthClientStore
    const tenant = yield* seedTenant
    const { client, user } = yield* seedService(tenant)
    yield* (yield* MemberStore).remove(tenant.organization.id, user.id, yield* now)
    assert.isTrue(yield* store.remove(tenant.organization.id, client.id, yield* now))
    assert.isUndefined(yield* store.find(client.id))
  })),
  test("removes no client that is unknown, of another organization, or registered itself", Effect.gen(function*() {
    const store = yield* OAuthClientStore
    const tenant = yield* seedTenant
    const elsewhere = yield* seedTenant
    const { client, user } = yield* seedService(elsewhere)
    const registered = yield* seedClient()
    const { tokens } = yield* seedTokens(tenant, { client: registered })
    const at = yield* now
    for (const id of [yield* newId(OAuthClientId), client.id, registered.id]) {
      assert.isFalse(yield* store.remove(tenant.organization.id, id, at))
    }
    assert.isDefined(yield* store.find(client.id))
    assert.isDefined(yield* (yield* MemberStore).find(elsewhere.organization.id, user.id))
    yield* allWorth([tokens], true)
  })),
  test("removes a service client for one of twenty who do so at once", Effect.gen(function*() {
    const store = yield* OAuthClientStore
    const tenant = yield* seedTenant
    const { client } = yield* seedService(tenant)
    const at = yield* now
    const answers = yield* twenty(() => store.remove(tenant.organization.id, client.id, at))
    assert.strictEqual(answers.filter((removed) => removed).length, 1)
  })),
  test("leaves nothing of a service client that is removed while it gets tokens", Effect.gen(function*() {
    const store = yield* OAuthClientStore
    const tenant = yield* seedTenant
    const { client, user } = yield* seedService(tenant)
    const issued = yield* twenty((number) =>
      Effect.gen(function*() {
        const tokens = yield* newTokens()
        if (number === 9) yield* store.remove(tenant.organization.id, client.id, yield* now)
        else yield* seedTokens({ ...tenant, user }, { client, tokens })
        return tokens
      })
    )
    yield* allWorth(issued, false)
  }))
])
