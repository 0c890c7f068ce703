import { newId, now, User, UserId } from "@coppice/core"
import { MemberStore, UserStore } from "@coppice/core/ports"
import { DateTime, Effect } from "effect"
import { assert } from "vitest"
import { same, test } from "./check.ts"
import { membershipOf } from "./member-store/removal.ts"
import { seedTenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

export const userStoreContract = storeContract("UserStore", () => [
  test("finds a user by e-mail, letter case aside", Effect.gen(function*() {
    const store = yield* UserStore
    const { user } = yield* seedTenant
    assert.strictEqual((yield* store.byEmail(user.email.toUpperCase()))?.id, user.id)
    assert.isUndefined(yield* store.byEmail(`not-${user.email}`))
  })),
  test("finds a user by their id", Effect.gen(function*() {
    const store = yield* UserStore
    const { user } = yield* seedTenant
    same(User, yield* store.find(user.id), user)
    assert.isUndefined(yield* store.find(yield* newId(UserId)))
  })),
  test("keeps which organization a user works in, of those that they are a member of", Effect.gen(function*() {
    const store = yield* UserStore
    const mine = yield* seedTenant
    const joined = yield* seedTenant
    const foreign = yield* seedTenant
    yield* (yield* MemberStore).add(joined.organization.id, yield* membershipOf(mine.user, joined.organization.id))
    const at = DateTime.add(yield* now, { hours: 1 })
    assert.isFalse(yield* store.setActiveOrganization(mine.user.id, foreign.organization.id, at))
    same(User, yield* store.find(mine.user.id), mine.user)
    assert.isTrue(yield* store.setActiveOrganization(mine.user.id, joined.organization.id, at))
    same(User, yield* store.find(mine.user.id), { ...mine.user, activeOrganizationId: joined.organization.id, updatedAt: at })
    assert.isFalse(yield* store.setActiveOrganization(yield* newId(UserId), foreign.organization.id, at))
    same(User, yield* store.find(joined.user.id), joined.user)
  })),
  test("keeps the hash of a user's password in place of the one before, and nobody else's", Effect.gen(function*() {
    const store = yield* UserStore
    const { user } = yield* seedTenant
    const other = yield* seedTenant
    const at = yield* now
    assert.isUndefined(yield* store.passwordHash(user.id))
    yield* store.setPasswordHash(user.id, "$scrypt$ln=17,r=8,p=1$first", at)
    yield* store.setPasswordHash(user.id, "$scrypt$ln=17,r=8,p=1$second", at)
    assert.strictEqual(yield* store.passwordHash(user.id), "$scrypt$ln=17,r=8,p=1$second")
    assert.isUndefined(yield* store.passwordHash(other.user.id))
    assert.isUndefined(yield* store.passwordHash(yield* newId(UserId)))
  })),
  test("shows no hash of a password with the user", Effect.gen(function*() {
    const store = yield* UserStore
    const { user } = yield* seedTenant
    yield* store.setPasswordHash(user.id, "$scrypt$secret", yield* now)
    same(User, yield* store.find(user.id), user)
    same(User, yield* store.byEmail(user.email), user)
  }))
])
