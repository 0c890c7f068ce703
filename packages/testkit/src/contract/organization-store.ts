import { Member, newId, now, Organization, OrganizationId, User, UserId } from "@coppice/core"
import { MemberStore, OrganizationStore, UserStore } from "@coppice/core/ports"
import { Arbitrary, Effect, Result } from "effect"
import { assert } from "vitest"
import { failsWith, idsOf, instants, property, same, sameAll, test, twenty } from "./check.ts"
import { newMember, seedTenant } from "./seed.ts"
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
        same(Member, yield* (yield* MemberStore).find(organization.id, user.id), owner)
        same(User, yield* (yield* UserStore).byEmail(user.email), user)
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
    assert.isUndefined(yield* (yield* MemberStore).find(organization.id, user.id))
    assert.strictEqual((yield* (yield* UserStore).byEmail(taken.user.email))?.id, taken.user.id)
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
  test("founds none as the first once there is any, and stores nothing", Effect.gen(function*() {
    const store = yield* OrganizationStore
    yield* seedTenant
    const { organization, owner, user } = yield* newTenant()
    yield* failsWith("Conflict", store.found(organization, user, owner, { first: true }))
    assert.isFalse(yield* isThere(organization.id))
    assert.isUndefined(yield* (yield* UserStore).byEmail(user.email))
  })),
  // On a database that others have used there is one already; on a fresh one this says what it says.
  test("founds exactly one of twenty that are to be the first, and none where there is one", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const before = (yield* store.organizations()).length
    const founded = yield* twenty(() =>
      Effect.gen(function*() {
        const { organization, owner, user } = yield* newTenant()
        return Result.isSuccess(yield* Effect.result(store.found(organization, user, owner, { first: true })))
      })
    )
    assert.strictEqual(founded.filter((won) => won).length, before === 0 ? 1 : 0)
    assert.strictEqual((yield* store.organizations()).length, Math.max(before, 1))
  })),
  test("answers the organizations of a user with their membership, oldest first, and no others", Effect.gen(function*() {
    const store = yield* OrganizationStore
    const members = yield* MemberStore
    const older = yield* seedTenant
    const mine = yield* seedTenant
    yield* seedTenant
    const { member } = yield* newMember(older.organization.id)
    const joined = { ...member, userId: mine.user.id, email: mine.user.email, name: mine.user.name }
    yield* members.add(older.organization.id, joined)
    const answer = yield* store.ofUser(mine.user.id)
    sameAll(Organization, answer.map(({ organization }) => organization), [older.organization, mine.organization])
    sameAll(Member, answer.map(({ member }) => member), [joined, mine.owner])
    assert.deepStrictEqual(yield* store.ofUser(yield* newId(UserId)), [])
  })),
  test("answers every organization, oldest first", Effect.gen(function*() {
    const tenants = yield* Effect.forEach([1, 2, 3], () => seedTenant)
    const mine = tenants.map(({ organization }) => organization.id)
    const all = idsOf(yield* (yield* OrganizationStore).organizations())
    assert.deepStrictEqual(all.filter((id) => mine.some((other) => other === id)), mine)
  }))
])
