import { Member, newId, now, Organization, OrganizationId, User, UserId } from "@coppice/core"
import { MemberStore, OrganizationStore, UserStore } from "@coppice/core/ports"
import { Arbitrary, Effect, Result } from "effect"
import { assert } from "vitest"
import { failsWith, idsOf, instants, property, same, test, twenty } from "./check.ts"
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
  test("answers every organization, oldest first", Effect.gen(function*() {
    const tenants = yield* Effect.forEach([1, 2, 3], () => seedTenant)
    const mine = tenants.map(({ organization }) => organization.id)
    const all = idsOf(yield* (yield* OrganizationStore).organizations())
    assert.deepStrictEqual(all.filter((id) => mine.some((other) => other === id)), mine)
  }))
])
