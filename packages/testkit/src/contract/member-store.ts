import { Member, newId, now, User, UserId } from "@coppice/core"
import { GrantStore, MemberStore, UserStore } from "@coppice/core/ports"
import { DateTime, Effect, Result, Schema } from "effect"
import { assert } from "vitest"
import { failsWith, idsOf, pagesThrough, same, test, twenty } from "./check.ts"
import { membershipOf, removalTests } from "./member-store/removal.ts"
import { allWorth, listenTo, seedTokens } from "./seed-oauth.ts"
import { newMember, seedMember, seedTenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

export const memberStoreContract = storeContract("MemberStore", () => [
  test("F14: ends with a membership every grant of the user there, for good, and tells those who listen", Effect.gen(function*() {
    const store = yield* MemberStore
    const tenant = yield* seedTenant
    const { member, user } = yield* seedMember(tenant.organization.id)
    const { grant, tokens } = yield* seedTokens({ ...tenant, user })
    const kept = yield* seedTokens(tenant)
    const told = yield* listenTo(grant)
    assert.isTrue(yield* store.remove(tenant.organization.id, user.id, yield* now))
    yield* told
    yield* allWorth([tokens], false)
    yield* store.add(tenant.organization.id, member)
    yield* allWorth([tokens], false)
    yield* allWorth([kept.tokens], true)
    const { items } = yield* (yield* GrantStore).list(tenant.organization.id, undefined, {})
    assert.deepStrictEqual(idsOf(items), [kept.grant.id])
  })),
  test("adds a new user as a member", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization } = yield* seedTenant
    const { member, user } = yield* newMember(organization.id)
    yield* store.add(organization.id, member, user)
    same(Member, yield* store.find(organization.id, user.id), member)
    same(User, yield* (yield* UserStore).byEmail(user.email), user)
  })),
  test("adds with Conflict while the e-mail is taken, and stores nothing", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization, user: { email } } = yield* seedTenant
    const { member, user } = yield* newMember(organization.id)
    yield* failsWith("Conflict", store.add(organization.id, { ...member, email }, { ...user, email }))
    assert.isUndefined(yield* store.find(organization.id, user.id))
  })),
  test("adds exactly one of twenty users with one e-mail", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization } = yield* seedTenant
    const email = `${yield* newId(UserId)}@example.com`
    const joined = yield* twenty(() =>
      Effect.gen(function*() {
        const { member, user } = yield* newMember(organization.id)
        return yield* Effect.result(store.add(organization.id, { ...member, email }, { ...user, email }))
      })
    )
    assert.strictEqual(joined.filter(Result.isSuccess).length, 1)
    assert.strictEqual((yield* store.list(organization.id, {})).items.length, 2)
  })),
  test("adds a user who is there already, and leaves what they are elsewhere", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization } = yield* seedTenant
    const elsewhere = yield* seedTenant
    const member = yield* membershipOf(elsewhere.user, organization.id)
    yield* store.add(organization.id, member)
    same(Member, yield* store.find(organization.id, elsewhere.user.id), member)
    same(Member, yield* store.find(elsewhere.organization.id, elsewhere.user.id), elsewhere.owner)
    same(User, yield* (yield* UserStore).find(elsewhere.user.id), elsewhere.user)
  })),
  test("adds with Conflict who is a member already, and changes nothing", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization, owner, user } = yield* seedTenant
    yield* failsWith("Conflict", store.add(organization.id, yield* membershipOf(user, organization.id)))
    same(Schema.Array(Member), (yield* store.list(organization.id, {})).items, [owner])
  })),
  test("adds a user once when twenty add them at once", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization } = yield* seedTenant
    const { user } = yield* seedTenant
    const added = yield* twenty(() =>
      Effect.flatMap(membershipOf(user, organization.id), (member) => Effect.result(store.add(organization.id, member)))
    )
    assert.strictEqual(added.filter(Result.isSuccess).length, 1)
    assert.strictEqual((yield* store.list(organization.id, {})).items.length, 2)
  })),
  test("answers no membership of a user who is in another organization, or in none", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization } = yield* seedTenant
    const stranger = yield* seedTenant
    assert.isUndefined(yield* store.find(organization.id, stranger.user.id))
    assert.isUndefined(yield* store.find(organization.id, yield* newId(UserId)))
  })),
  test("lists the members of an organization, newest first, page by page", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization, owner } = yield* seedTenant
    yield* seedTenant
    const joined = yield* Effect.forEach([1, 2, 3, 4], () => seedMember(organization.id))
    const members = [owner, ...joined.map(({ member }) => member)]
    yield* pagesThrough(members, (page) => store.list(organization.id, page))
    same(Schema.Array(Member), (yield* store.list(organization.id, {})).items, members.toReversed())
  })),
  test("gives a member another role in that organization alone", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization } = yield* seedTenant
    const { member, user } = yield* seedMember(organization.id)
    const other = yield* seedTenant
    const there = yield* membershipOf(user, other.organization.id)
    yield* store.add(other.organization.id, there)
    const at = DateTime.add(yield* now, { hours: 1 })
    const changed = { ...member, role: "admin" as const, updatedAt: at }
    same(Member, yield* store.setRole(organization.id, user.id, "admin", at), changed)
    same(Member, yield* store.find(organization.id, user.id), changed)
    same(Member, yield* store.find(other.organization.id, user.id), there)
  })),
  test("leaves an owner one, and knows no role of who is no member", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization, owner, user } = yield* seedTenant
    const stranger = yield* seedTenant
    const at = yield* now
    assert.isUndefined(yield* store.setRole(organization.id, user.id, "member", at))
    assert.isUndefined(yield* store.setRole(organization.id, stranger.user.id, "admin", at))
    assert.isUndefined(yield* store.setRole(organization.id, yield* newId(UserId), "admin", at))
    same(Member, yield* store.find(organization.id, user.id), owner)
    same(Member, yield* store.find(stranger.organization.id, stranger.user.id), stranger.owner)
  })),
  ...removalTests
])
