import { Invitation, InvitationId, Member, newId, now, type OrganizationId, User, type UserId } from "@coppice/core"
import { InvitationStore, MemberStore, UserStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect } from "effect"
import { assert } from "vitest"
import { failsWith, fiveTimes, idsOf, instants, pagesThrough, property, same, sameAll, test, twenty } from "./check.ts"
import { newMember, seedHash, seedTenant, type Tenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedInvitation = Effect.fnUntraced(function*({ organization, user }: Tenant, fields: Partial<Invitation> = {}) {
  const at = yield* now
  const id = yield* newId(InvitationId)
  const invitation: Invitation = {
    id,
    organizationId: organization.id,
    email: `${id}@example.com`,
    role: "member",
    invitedBy: user.id,
    expiresAt: DateTime.add(at, { days: 7 }),
    createdAt: at,
    updatedAt: at,
    ...fields
  }
  const hash = yield* seedHash("invitation")
  yield* (yield* InvitationStore).create(invitation, hash)
  return { invitation, hash }
})

const accepting = Effect.fnUntraced(function*(organizationId: OrganizationId, email?: string) {
  const { member, user } = yield* newMember(organizationId)
  const passwordHash = `$scrypt$${user.id}`
  return email === undefined
    ? { member, newUser: { user, passwordHash } }
    : { member: { ...member, email }, newUser: { user: { ...user, email }, passwordHash } }
})

const membership = (organizationId: OrganizationId, userId: UserId) =>
  Effect.gen(function*() {
    return yield* (yield* MemberStore).find(organizationId, userId)
  })

const fields = Arbitrary.all({
  role: Arbitrary.schema(Invitation.fields.role),
  expiresAt: instants,
  createdAt: instants,
  updatedAt: instants
})

export const invitationStoreContract = storeContract("InvitationStore", () => [
  property("stores an invitation under its hash, and answers it as it was given until it expires", fields, (fields) =>
    Effect.gen(function*() {
      const store = yield* InvitationStore
      const tenant = yield* seedTenant
      const { hash, invitation } = yield* seedInvitation(tenant, fields)
      const before = DateTime.add(fields.expiresAt, { milliseconds: -1 })
      same(Invitation, yield* store.find(hash, before), invitation)
      sameAll(Invitation, (yield* store.list(tenant.organization.id, before, {})).items, [invitation])
      assert.isUndefined(yield* store.find(hash, fields.expiresAt))
      assert.deepStrictEqual((yield* store.list(tenant.organization.id, fields.expiresAt, {})).items, [])
    })),
  test("knows no invitation by another secret", Effect.gen(function*() {
    yield* seedInvitation(yield* seedTenant)
    assert.isUndefined(yield* (yield* InvitationStore).find(yield* seedHash("invitation"), yield* now))
  })),
  test("lists the invitations of an organization, newest first, page by page", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    yield* seedInvitation(yield* seedTenant)
    const invitations = yield* fiveTimes(seedInvitation(tenant))
    const at = yield* now
    yield* pagesThrough(invitations.map(({ invitation }) => invitation), (page) => store.list(tenant.organization.id, at, page))
  })),
  test("puts an invitation in the place of one to the same address, letter case aside", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    const at = yield* now
    const first = yield* seedInvitation(tenant, { email: "somebody@example.com" })
    const elsewhere = yield* seedInvitation(yield* seedTenant, { email: "somebody@example.com" })
    const second = yield* seedInvitation(tenant, { email: "Somebody@Example.com", role: "admin" })
    assert.isUndefined(yield* store.find(first.hash, at))
    sameAll(Invitation, (yield* store.list(tenant.organization.id, at, {})).items, [second.invitation])
    same(Invitation, yield* store.find(second.hash, at), second.invitation)
    same(Invitation, yield* store.find(elsewhere.hash, at), elsewhere.invitation)
  })),
  test("keeps one of twenty invitations to an address that are made at once", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    const made = yield* twenty(() => seedInvitation(tenant, { email: "crowd@example.com" }))
    const { items } = yield* store.list(tenant.organization.id, yield* now, {})
    assert.strictEqual(items.length, 1)
    const found = yield* Effect.forEach(made, ({ hash }) => Effect.flatMap(now, (at) => store.find(hash, at)))
    assert.deepStrictEqual(idsOf(found.filter((one) => one !== undefined)), idsOf(items))
  })),
  test("stores the member, the new user and the hash of their password, and is used up by it", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    const { hash } = yield* seedInvitation(tenant)
    const { member, newUser } = yield* accepting(tenant.organization.id)
    const at = yield* now
    assert.isTrue(yield* store.accept(hash, member, newUser, at))
    same(Member, yield* membership(tenant.organization.id, newUser.user.id), member)
    const users = yield* UserStore
    same(User, yield* users.find(newUser.user.id), newUser.user)
    assert.strictEqual(yield* users.passwordHash(newUser.user.id), newUser.passwordHash)
    assert.isUndefined(yield* store.find(hash, at))
    assert.deepStrictEqual((yield* store.list(tenant.organization.id, at, {})).items, [])
    const late = yield* accepting(tenant.organization.id)
    assert.isFalse(yield* store.accept(hash, late.member, late.newUser, at))
    assert.isUndefined(yield* users.find(late.newUser.user.id))
  })),
  test("makes a member of a user who is there already, and leaves their password", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    const { user } = yield* seedTenant
    const users = yield* UserStore
    yield* users.setPasswordHash(user.id, "$scrypt$theirs", yield* now)
    const { hash } = yield* seedInvitation(tenant)
    const { member } = yield* newMember(tenant.organization.id)
    const joining = { ...member, userId: user.id, email: user.email, name: user.name }
    assert.isTrue(yield* store.accept(hash, joining, undefined, yield* now))
    same(Member, yield* membership(tenant.organization.id, user.id), joining)
    assert.strictEqual(yield* users.passwordHash(user.id), "$scrypt$theirs")
  })),
  test("makes a member of exactly one of twenty who accept at once", Effect.gen(function*() {
    const store = yield* InvitationStore
    const { organization, ...tenant } = yield* seedTenant
    const { hash } = yield* seedInvitation({ organization, ...tenant })
    const accepted = yield* twenty(() =>
      Effect.gen(function*() {
        const { member, newUser } = yield* accepting(organization.id)
        const done = yield* store.accept(hash, member, newUser, yield* now)
        assert.strictEqual((yield* membership(organization.id, newUser.user.id)) !== undefined, done)
        return done
      })
    )
    assert.strictEqual(accepted.filter((done) => done).length, 1)
    assert.strictEqual((yield* (yield* MemberStore).list(organization.id, {})).items.length, 2)
  })),
  test("accepts with Conflict while the e-mail is taken, stores nothing, and leaves the invitation", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    const { hash, invitation } = yield* seedInvitation(tenant)
    const { member, newUser } = yield* accepting(tenant.organization.id, tenant.user.email)
    const at = yield* now
    yield* failsWith("Conflict", store.accept(hash, member, newUser, at))
    assert.isUndefined(yield* (yield* UserStore).find(newUser.user.id))
    assert.isUndefined(yield* (yield* UserStore).passwordHash(newUser.user.id))
    same(Invitation, yield* store.find(hash, at), invitation)
  })),
  test("accepts with Conflict by who is a member already, and leaves the invitation", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    const { hash, invitation } = yield* seedInvitation(tenant)
    const { member } = yield* newMember(tenant.organization.id)
    const at = yield* now
    yield* failsWith("Conflict", store.accept(hash, { ...member, userId: tenant.user.id }, undefined, at))
    same(Invitation, yield* store.find(hash, at), invitation)
    same(Member, yield* membership(tenant.organization.id, tenant.user.id), tenant.owner)
  })),
  test("accepts nothing that has expired, was revoked, is unknown or is another organization's", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    const at = yield* now
    const expired = yield* seedInvitation(tenant, { expiresAt: at })
    const revoked = yield* seedInvitation(tenant)
    yield* store.revoke(tenant.organization.id, revoked.invitation.id)
    const elsewhere = yield* seedInvitation(yield* seedTenant)
    const unknown = yield* seedHash("invitation")
    for (const hash of [expired.hash, revoked.hash, unknown, elsewhere.hash]) {
      const { member, newUser } = yield* accepting(tenant.organization.id)
      assert.isFalse(yield* store.accept(hash, member, newUser, at))
      assert.isUndefined(yield* (yield* UserStore).find(newUser.user.id))
    }
    same(Invitation, yield* store.find(elsewhere.hash, at), elsewhere.invitation)
  })),
  test("takes an invitation back, and none of another organization", Effect.gen(function*() {
    const store = yield* InvitationStore
    const tenant = yield* seedTenant
    const { organization } = yield* seedTenant
    const { hash, invitation } = yield* seedInvitation(tenant)
    const at = yield* now
    assert.isUndefined(yield* store.revoke(organization.id, invitation.id))
    same(Invitation, yield* store.find(hash, at), invitation)
    same(Invitation, yield* store.revoke(tenant.organization.id, invitation.id), invitation)
    assert.isUndefined(yield* store.find(hash, at))
    assert.isUndefined(yield* store.revoke(tenant.organization.id, invitation.id))
  }))
])
