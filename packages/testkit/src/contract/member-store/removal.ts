import { credentialOf, type Limit, type McpSignal, Member, newId, now, type OrganizationId, type User, UserId } from "@coppice/core"
import { ApiKeyStore, McpSessionStore, MemberStore, TaskStore, UserStore } from "@coppice/core/ports"
import { Effect, Queue } from "effect"
import { assert } from "vitest"
import { beforeLong, same, test } from "../check.ts"
import { newMember, seedMember, seedTask, seedTaskStatuses, seedTenant } from "../seed.ts"
import { seedKey } from "../api-key-store/seed-key.ts"
import type { StoreTest } from "../store-contract.ts"

const limit: Limit = { max: 100, windowSeconds: 3600 }

/** A membership of a user who is there already, not stored yet. */
export const membershipOf = Effect.fnUntraced(function*(user: User, organizationId: OrganizationId) {
  const { member } = yield* newMember(organizationId)
  return { ...member, userId: user.id, email: user.email, name: user.name }
})

/** How a membership ends, and what ends with it. */
export const removalTests: ReadonlyArray<StoreTest> = [
  test("removes a member, and leaves the user and what they are elsewhere", Effect.gen(function*() {
    const store = yield* MemberStore
    const { organization, owner } = yield* seedTenant
    const elsewhere = yield* seedTenant
    yield* store.add(organization.id, yield* membershipOf(elsewhere.user, organization.id))
    const at = yield* now
    assert.isTrue(yield* store.remove(organization.id, elsewhere.user.id, at))
    assert.isUndefined(yield* store.find(organization.id, elsewhere.user.id))
    assert.isFalse(yield* store.remove(organization.id, elsewhere.user.id, at))
    same(Member, yield* store.find(organization.id, owner.userId), owner)
    same(Member, yield* store.find(elsewhere.organization.id, elsewhere.user.id), elsewhere.owner)
    assert.isDefined(yield* (yield* UserStore).find(elsewhere.user.id))
  })),
  test("removes no owner and no stranger", Effect.gen(function*() {
    const store = yield* MemberStore
    const tenant = yield* seedTenant
    const { hash } = yield* seedKey(tenant)
    const at = yield* now
    assert.isFalse(yield* store.remove(tenant.organization.id, tenant.user.id, at))
    assert.isFalse(yield* store.remove(tenant.organization.id, yield* newId(UserId), at))
    same(Member, yield* store.find(tenant.organization.id, tenant.user.id), tenant.owner)
    assert.isDefined(yield* (yield* ApiKeyStore).authenticate(hash, limit))
  })),
  test("ends the keys of who is removed for good, and those that they have elsewhere not", Effect.gen(function*() {
    const store = yield* MemberStore
    const keys = yield* ApiKeyStore
    const tenant = yield* seedTenant
    const elsewhere = yield* seedTenant
    const membership = yield* membershipOf(elsewhere.user, tenant.organization.id)
    yield* store.add(tenant.organization.id, membership)
    const theirs = yield* seedKey(tenant, { userId: elsewhere.user.id })
    const owners = yield* seedKey(tenant)
    const there = yield* seedKey(elsewhere)
    assert.isDefined(yield* keys.authenticate(theirs.hash, limit))
    yield* store.remove(tenant.organization.id, elsewhere.user.id, yield* now)
    assert.isUndefined(yield* keys.authenticate(theirs.hash, limit))
    assert.isDefined(yield* keys.authenticate(owners.hash, limit))
    assert.isDefined(yield* keys.authenticate(there.hash, limit))
    yield* store.add(tenant.organization.id, { ...membership, id: (yield* newMember(tenant.organization.id)).member.id })
    assert.isUndefined(yield* keys.authenticate(theirs.hash, limit))
    assert.isUndefined(yield* keys.identify(theirs.hash))
  })),
  test("tells those who listen to what depends on the keys of who is removed", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { user } = yield* seedMember(tenant.organization.id)
    const keys = yield* Effect.forEach([1, 2], () => seedKey(tenant, { userId: user.id }))
    const others = yield* seedKey(tenant)
    const heard = yield* Queue.unbounded<McpSignal>()
    const elsewhere: Array<McpSignal> = []
    const sessions = yield* McpSessionStore
    for (const { key } of keys) {
      yield* sessions.listen({ credential: credentialOf({ apiKeyId: key.id }) }, (signal) => void Queue.offerUnsafe(heard, signal))
    }
    yield* sessions.listen({ credential: credentialOf({ apiKeyId: others.key.id }) }, (signal) => void elsewhere.push(signal))
    // Whoever has just connected may have missed something, and is told so.
    yield* Queue.clear(heard)
    elsewhere.length = 0
    yield* (yield* MemberStore).remove(tenant.organization.id, user.id, yield* now)
    const changed = yield* beforeLong(Queue.takeN(heard, 2), "not everybody was told")
    assert.deepStrictEqual(changed, [{ _tag: "Changed" }, { _tag: "Changed" }])
    assert.deepStrictEqual(elsewhere, [])
  })),
  test("leaves the tasks of who is removed to nobody", Effect.gen(function*() {
    const tasks = yield* TaskStore
    const { organization, user: owner } = yield* seedTenant
    const { user } = yield* seedMember(organization.id)
    const [status] = yield* seedTaskStatuses(organization.id)
    const theirs = yield* seedTask(status!, { assigneeId: user.id })
    const others = yield* seedTask(status!, { assigneeId: owner.id })
    yield* (yield* MemberStore).remove(organization.id, user.id, yield* now)
    assert.isUndefined((yield* tasks.get(organization.id, theirs.id))?.assigneeId)
    assert.strictEqual((yield* tasks.get(organization.id, others.id))?.assigneeId, owner.id)
  }))
]
