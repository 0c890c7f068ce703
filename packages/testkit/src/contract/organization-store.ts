import { Member, newId, now, Organization, OrganizationId, User, UserId } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { assert } from "vitest"
import { failsWith, idsOf, instants, pagesThrough, property, same, test, twenty } from "./check.ts"
import { newMember, seedMember, seedTenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

/** An organization with its first member, not stored yet. */
const newTenant = Effect.fnUntraced(function*(
  fields: { readonly name?: string; readonly email?: string; readonly at?: Member["createdAt"] } = {}
) {
  const id = yield* newId(OrganizationId)
  const at = fields.at ?? (yield* now)
  const organization: Organization = { id, name: fields.name ?? "Founded", createdAt: at, updatedAt: at }
  const { member, user } = yield* newMember(id)
  const changed = { name: fields.name ?? "Owner", email: fields.email ?? user.email, createdAt: at, updatedAt: at }
  return { organization, user: { ...user, ...changed }, owner: { ...member, ...changed, role: "owner" as const } }
})

const isThere = (organizationId: OrganizationId) =>
  Effect.gen(function*() {
    return idsOf(yield* (yield* OrganizationStore).organizations()).includes(organizationId)
  })

export const organizationStoreContract = storeContract("OrganizationStore", () => [
  property(
    "stores an organization with its first member, and answers each as it was given",
    Arbitrary.all({ name: Arbitrary.schema(Organization.fields.name), at: instants }),
    (fields) =>
      Effect.gen(function*() {
        const store = yield* OrganizationStore
        const { organization, owner, user } = yield* newTenant(fields)
        yield* store.found(organization, user, owner)
        same(Member, yield* store.member(organization.id, user.id), owner)
        same(User, yield* store.userByEmail(user.email), user)
        const stored = (yield* store.organizations()).find(({ id }) => id === organization.id)
        same(Organization, stored, organization)
      })
  ),
  test("founds with Conflict while the e-mail is taken, and stores nothing", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const taken = yield* seedTenant
    const { organization, owner, user } = yield* newTenant({ email: taken.user.email })
    yield* failsWith("Conflict", store.found(organization, user, owner))
    assert.isFalse(yield* isThere(organization.id))
    assert.isUndefined(yield* store.member(organization.id, user.id))
    assert.strictEqual((yield* store.userByEmail(taken.user.email))?.id, taken.user.id)
  })),
  test("founds exactly one of twenty organizations with one e-mail", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const email = `${yield* newId(UserId)}@example.com`
    const founded = yield* twenty(() =>
      Effect.gen(function*() {
        const { organization, owner, user } = yield* newTenant({ email })
        const result = yield* Effect.result(store.found(organization, user, owner))
        assert.strictEqual(yield* isThere(organization.id), Result.isSuccess(result))
        return Result.isSuccess(result)
      })
    )
    assert.strictEqual(founded.filter((won) => won).length, 1)
  })),
  test("joins a new user as a member", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const { organization } = yield* seedTenant
    const { member, user } = yield* newMember(organization.id)
    yield* store.join(organization.id, user, member)
    same(Member, yield* store.member(organization.id, user.id), member)
    same(User, yield* store.userByEmail(user.email), user)
  })),
  test("joins with Conflict while the e-mail is taken, and stores nothing", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const { organization, user: { email } } = yield* seedTenant
    const { member, user } = yield* newMember(organization.id)
    yield* failsWith("Conflict", store.join(organization.id, { ...user, email }, { ...member, email }))
    assert.isUndefined(yield* store.member(organization.id, user.id))
  })),
  test("joins exactly one of twenty users with one e-mail", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const { organization } = yield* seedTenant
    const email = `${yield* newId(UserId)}@example.com`
    const joined = yield* twenty(() =>
      Effect.gen(function*() {
        const { member, user } = yield* newMember(organization.id)
        return yield* Effect.result(store.join(organization.id, { ...user, email }, { ...member, email }))
      })
    )
    assert.strictEqual(joined.filter(Result.isSuccess).length, 1)
    assert.strictEqual((yield* store.members(organization.id, {})).items.length, 2)
  })),
  test("answers no membership of a user who is in another organization, or in none", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const { organization } = yield* seedTenant
    const stranger = yield* seedTenant
    assert.isUndefined(yield* store.member(organization.id, stranger.user.id))
    assert.isUndefined(yield* store.member(organization.id, yield* newId(UserId)))
  })),
  test("lists the members of an organization, newest first, page by page", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const { organization, owner } = yield* seedTenant
    yield* seedTenant
    const joined = yield* Effect.forEach([1, 2, 3, 4], () => seedMember(organization.id))
    const members = [owner, ...joined.map(({ member }) => member)]
    yield* pagesThrough(members, (page) => store.members(organization.id, page))
    same(Schema.Array(Member), (yield* store.members(organization.id, {})).items, members.toReversed())
  })),
  test("finds a user by e-mail, letter case aside", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const { user } = yield* seedTenant
    assert.strictEqual((yield* store.userByEmail(user.email.toUpperCase()))?.id, user.id)
    assert.isUndefined(yield* store.userByEmail(`not-${user.email}`))
  })),
  test("answers every organization, oldest first", Effect.gen(function*() {
    const tenants = yield* Effect.forEach([1, 2, 3], () => seedTenant)
    const mine = tenants.map(({ organization }) => organization.id)
    const all = idsOf(yield* (yield* OrganizationStore).organizations())
    assert.deepStrictEqual(all.filter((id) => mine.some((other) => other === id)), mine)
  }))
])
