import { AuthorizationRequest, AuthorizationRequestId, Grant, GrantId, newId, now, UserId } from "@coppice/core"
import { AuthorizationCodeStore, GrantStore, OAuthClientStore, OAuthTokenStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { fiveTimes, idsOf, instants, pagesThrough, property, same, test, twenty } from "./check.ts"
import {
  allWorth,
  codeOf,
  listenTo,
  newApproval,
  newClient,
  newTokens,
  seedClient,
  seedCode,
  seedRequest,
  seedTokens,
  signedInAt,
  wide
} from "./seed-oauth.ts"
import { seedHash, seedMember, seedTenant } from "./seed.ts"
import { pass, storeContract } from "./store-contract.ts"

const texts = Schema.Array(Schema.String)
const requestFields = Schema.Struct({
  redirectUri: Schema.String,
  scope: texts,
  resource: Schema.String,
  codeChallenge: Schema.String,
  state: Schema.optionalKey(Schema.String),
  nonce: Schema.optionalKey(Schema.String),
  issuer: Schema.String
})
const grantFields = Schema.Struct({
  redirectUri: Schema.String,
  scope: texts,
  resource: Schema.String,
  nonce: Schema.optionalKey(Schema.String)
})
const NamedGrant = Schema.Struct({ ...Grant.fields, clientName: Schema.optionalKey(Schema.String) })

export const grantStoreContract = storeContract("GrantStore", (capabilities) => [
  property("keeps a request as it was given", requestFields, (fields) =>
    Effect.gen(function*() {
      const { user } = yield* seedTenant
      const request = yield* seedRequest(fields)
      same(AuthorizationRequest, yield* (yield* GrantStore).open(request.id, request.visit, user.id, signedInAt), request)
    })),
  test("opens a request for the browser that began it, and for no other", Effect.gen(function*() {
    const store = yield* GrantStore
    const { user } = yield* seedTenant
    const { id, visit } = yield* seedRequest()
    assert.isUndefined(yield* store.open(id, yield* seedHash("browserVisit"), user.id, signedInAt))
    assert.strictEqual((yield* store.open(id, visit, user.id, signedInAt))?.id, id)
  })),
  test("opens a request for the first user who opens it, again and again, and for nobody else", Effect.gen(function*() {
    const store = yield* GrantStore
    const [first, second] = [yield* seedTenant, yield* seedTenant]
    const { id, visit } = yield* seedRequest()
    assert.isDefined(yield* store.open(id, visit, first.user.id, signedInAt))
    assert.isUndefined(yield* store.open(id, visit, second.user.id, signedInAt))
    assert.isDefined(yield* store.open(id, visit, first.user.id, signedInAt))
  })),
  test("shows a request to who signed in before it says, and leaves it to who signed in since", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const { user: other } = yield* seedMember(tenant.organization.id)
    const request = yield* seedRequest({ authenticatedAfter: signedInAt })
    const { id, visit } = request
    const early = DateTime.subtract(signedInAt, { milliseconds: 1 })
    same(AuthorizationRequest, yield* store.open(id, visit, tenant.user.id, early), request)
    assert.isFalse(yield* store.decide(id, visit, tenant.user.id, undefined))
    assert.isDefined(yield* store.open(id, visit, other.id, signedInAt))
    assert.isUndefined(yield* store.open(id, visit, tenant.user.id, signedInAt))
    // Whoever has opened it stays the one who did.
    assert.isDefined(yield* store.open(id, visit, other.id, early))
    assert.isTrue(yield* store.decide(id, visit, other.id, undefined))
  })),
  test("opens a request for exactly one of twenty users who open it at once", Effect.gen(function*() {
    const store = yield* GrantStore
    const { organization } = yield* seedTenant
    const users = yield* Effect.forEach(Array.from({ length: 20 }), () => seedMember(organization.id))
    const { id, visit } = yield* seedRequest()
    const opened = yield* twenty((number) => store.open(id, visit, users[number]!.user.id, signedInAt))
    assert.strictEqual(opened.filter((request) => request !== undefined).length, 1)
  })),
  test("opens no request that is unknown, was decided, or has expired by the store's clock", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const { user } = tenant
    assert.isUndefined(yield* store.open(yield* newId(AuthorizationRequestId), yield* seedHash("browserVisit"), user.id, signedInAt))
    const { request } = yield* seedCode(tenant)
    assert.isUndefined(yield* store.open(request.id, request.visit, user.id, signedInAt))
    const denied = yield* seedRequest()
    yield* store.open(denied.id, denied.visit, user.id, signedInAt)
    assert.isTrue(yield* store.decide(denied.id, denied.visit, user.id, undefined))
    assert.isUndefined(yield* store.open(denied.id, denied.visit, user.id, signedInAt))
    const short = yield* seedRequest({ expiresAt: DateTime.add(yield* now, { milliseconds: 300 }) })
    yield* pass(capabilities, 300)
    assert.isUndefined(yield* store.open(short.id, short.visit, user.id, signedInAt))
  })),
  property(
    "stores the grant of a request that was approved, as it was given",
    Arbitrary.all({ fields: Arbitrary.schema(grantFields), authenticatedAt: instants, createdAt: instants, updatedAt: instants }),
    ({ fields, ...times }) =>
      Effect.gen(function*() {
        const tenant = yield* seedTenant
        const { codeHash, grant } = yield* seedCode(tenant, { grant: { ...fields, ...times } })
        const { items } = yield* (yield* GrantStore).list(tenant.organization.id, undefined, {})
        same(Schema.Array(NamedGrant), items, [{ ...grant, clientName: "Seeded" }])
        same(Grant, (yield* codeOf(codeHash))?.grant, grant)
      })
  ),
  test("stores nothing of a request that was denied", Effect.gen(function*() {
    const store = yield* GrantStore
    const { organization, user } = yield* seedTenant
    const { id, visit } = yield* seedRequest()
    yield* store.open(id, visit, user.id, signedInAt)
    assert.isTrue(yield* store.decide(id, visit, user.id, undefined))
    assert.isFalse(yield* store.decide(id, visit, user.id, undefined))
    assert.deepStrictEqual((yield* store.list(organization.id, undefined, {})).items, [])
  })),
  test("decides for nobody but the browser and the user who opened it, and stores nothing for others", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const { user: other } = yield* seedMember(tenant.organization.id)
    const request = yield* seedRequest()
    const { id, visit } = request
    const approval = yield* newApproval(tenant, request)
    const asks = (browser: typeof visit, userId: UserId) => store.decide(id, browser, userId, approval)
    assert.isFalse(yield* asks(visit, tenant.user.id), "before anybody opened it")
    yield* store.open(id, visit, tenant.user.id, signedInAt)
    assert.isFalse(yield* asks(yield* seedHash("browserVisit"), tenant.user.id), "in another browser")
    assert.isFalse(yield* asks(visit, other.id), "by another user")
    assert.isFalse(yield* store.decide(yield* newId(AuthorizationRequestId), visit, tenant.user.id, approval), "of another id")
    assert.deepStrictEqual((yield* store.list(tenant.organization.id, undefined, {})).items, [])
    assert.isUndefined(yield* codeOf(approval.codeHash))
    assert.isTrue(yield* asks(visit, tenant.user.id))
  })),
  test("decides no request that has expired by the store's clock", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const request = yield* seedRequest({ expiresAt: DateTime.add(yield* now, { seconds: 2 }) })
    const approval = yield* newApproval(tenant, request)
    assert.isDefined(yield* store.open(request.id, request.visit, tenant.user.id, signedInAt))
    yield* pass(capabilities, 2000)
    assert.isFalse(yield* store.decide(request.id, request.visit, tenant.user.id, approval))
    assert.isUndefined(yield* codeOf(approval.codeHash))
  })),
  test("stores no grant of somebody who is no member", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const { user } = yield* seedTenant
    const request = yield* seedRequest()
    const approval = yield* newApproval({ ...tenant, user }, request)
    yield* store.open(request.id, request.visit, user.id, signedInAt)
    assert.isFalse(yield* store.decide(request.id, request.visit, user.id, approval))
    assert.deepStrictEqual((yield* store.list(tenant.organization.id, undefined, {})).items, [])
  })),
  test("C4: decides for one of twenty who decide at once, whichever way", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const request = yield* seedRequest()
    const { id, visit } = request
    yield* store.open(id, visit, tenant.user.id, signedInAt)
    const decisions = yield* twenty((number) =>
      Effect.gen(function*() {
        const approval = number % 4 === 3 ? undefined : yield* newApproval(tenant, request)
        return { approval, decided: yield* store.decide(id, visit, tenant.user.id, approval) }
      })
    )
    const [winner, ...more] = decisions.filter(({ decided }) => decided)
    assert.deepStrictEqual(more, [])
    const { items } = yield* store.list(tenant.organization.id, undefined, {})
    assert.deepStrictEqual(idsOf(items), winner?.approval === undefined ? [] : [winner.approval.grant.id])
    for (const { approval, decided } of decisions) {
      if (approval !== undefined) assert.strictEqual((yield* codeOf(approval.codeHash)) !== undefined, decided)
    }
  })),
  test("lists the live grants of an organization, newest first, each with its client's name", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const at = yield* now
    yield* seedTokens(yield* seedTenant)
    const { name: _, ...nameless } = yield* newClient()
    yield* (yield* OAuthClientStore).register(nameless)
    const { user } = yield* seedMember(tenant.organization.id)
    const named = yield* seedTokens(tenant, { client: yield* seedClient({ name: "Editor" }) })
    yield* seedTokens(tenant, { grant: { revokedAt: at } })
    yield* seedTokens(tenant, { grant: { expiresAt: at } })
    const theirs = yield* seedTokens({ ...tenant, user }, { client: nameless })
    const { items } = yield* store.list(tenant.organization.id, undefined, {})
    assert.deepStrictEqual(items.map(({ clientName, id }) => [id, clientName]), [
      [theirs.grant.id, undefined],
      [named.grant.id, "Editor"]
    ])
    assert.deepStrictEqual(idsOf((yield* store.list(tenant.organization.id, user.id, {})).items), [theirs.grant.id])
    assert.deepStrictEqual((yield* store.list(tenant.organization.id, yield* newId(UserId), {})).items, [])
  })),
  test("lists page by page", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const seeded = yield* fiveTimes(seedTokens(tenant))
    const grants = seeded.map(({ grant }) => grant)
    yield* pagesThrough(grants, (page) => store.list(tenant.organization.id, undefined, page))
    yield* pagesThrough(grants, (page) => store.list(tenant.organization.id, tenant.user.id, page))
  })),
  test("finds a live grant by its id, of an organization or of one user in it", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const { id } = tenant.organization
    const { user } = yield* seedMember(id)
    const at = yield* now
    const { grant } = yield* seedTokens(tenant)
    const named = { ...grant, clientName: "Seeded" }
    same(NamedGrant, yield* store.find(id, grant.id, undefined), named)
    same(NamedGrant, yield* store.find(id, grant.id, tenant.user.id), named)
    assert.isUndefined(yield* store.find(id, grant.id, user.id))
    assert.isUndefined(yield* store.find((yield* seedTenant).organization.id, grant.id, undefined))
    const over = yield* seedTokens(tenant, { grant: { expiresAt: at } })
    const revoked = yield* seedTokens(tenant, { grant: { revokedAt: at } })
    for (const gone of [yield* newId(GrantId), over.grant.id, revoked.grant.id]) {
      assert.isUndefined(yield* store.find(id, gone, undefined))
    }
  })),
  test("ends a grant with its code and its tokens at once, and answers it", Effect.gen(function*() {
    const store = yield* GrantStore
    const codes = yield* AuthorizationCodeStore
    const tokens = yield* OAuthTokenStore
    const tenant = yield* seedTenant
    const redeemed = yield* seedCode(tenant)
    const had = yield* newTokens()
    assert.isTrue(yield* codes.redeem(redeemed.codeHash, had, 5))
    const waiting = yield* seedCode(tenant)
    const other = yield* seedTokens(tenant)
    const later = DateTime.add(yield* now, { hours: 1 })
    const ended = yield* store.revoke(tenant.organization.id, redeemed.grant.id, undefined, later)
    same(NamedGrant, ended, { ...redeemed.grant, clientName: "Seeded", revokedAt: later, updatedAt: later })
    yield* store.revoke(tenant.organization.id, waiting.grant.id, undefined, later)
    assert.isFalse(yield* codes.redeem(waiting.codeHash, yield* newTokens(), 5))
    assert.isUndefined(yield* tokens.authenticate(had.accessHash, wide))
    assert.strictEqual(yield* tokens.rotate(had.refresh.hash, yield* newTokens(), { graceMillis: 1000, maxReuses: 1 }), "refused")
    yield* allWorth([had], false)
    yield* allWorth([other.tokens], true)
    assert.deepStrictEqual(idsOf((yield* store.list(tenant.organization.id, undefined, {})).items), [other.grant.id])
  })),
  test("ends a user's own grant where a user is named, and no other's", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const { user } = yield* seedMember(tenant.organization.id)
    const { grant, tokens } = yield* seedTokens(tenant)
    assert.isUndefined(yield* store.revoke(tenant.organization.id, grant.id, user.id, yield* now))
    yield* allWorth([tokens], true)
    assert.strictEqual((yield* store.revoke(tenant.organization.id, grant.id, tenant.user.id, yield* now))?.id, grant.id)
    yield* allWorth([tokens], false)
  })),
  test("answers undefined for a grant that is unknown, of another organization, revoked before, or over", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const at = yield* now
    const { grant, tokens } = yield* seedTokens(yield* seedTenant)
    const over = yield* seedTokens(tenant, { grant: { expiresAt: at } })
    const revoked = yield* seedTokens(tenant, { grant: { revokedAt: at } })
    for (const id of [yield* newId(GrantId), grant.id, over.grant.id, revoked.grant.id]) {
      assert.isUndefined(yield* store.revoke(tenant.organization.id, id, undefined, at))
    }
    yield* allWorth([tokens], true)
  })),
  test("ends a grant for one of twenty who revoke it at once", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    const { grant } = yield* seedTokens(tenant)
    const at = yield* now
    const answers = yield* twenty((hours) =>
      store.revoke(tenant.organization.id, grant.id, undefined, DateTime.add(at, { hours })))
    assert.strictEqual(answers.filter((answer) => answer !== undefined).length, 1)
  })),
  test("K13: tells those who listen to what depends on a grant that it ended", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { grant } = yield* seedTokens(tenant)
    const told = yield* listenTo(grant)
    yield* (yield* GrantStore).revoke(tenant.organization.id, grant.id, undefined, yield* now)
    yield* told
  }))
])
