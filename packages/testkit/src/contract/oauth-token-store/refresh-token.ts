import { Grant, now, type ReuseGrace } from "@coppice/core"
import { GrantStore, MemberStore, OAuthTokenStore } from "@coppice/core/ports"
import { DateTime, Effect } from "effect"
import { assert } from "vitest"
import { same, test, twenty } from "../check.ts"
import { allWorth, day, listenTo, minute, newTokens, seedTokens } from "../seed-oauth.ts"
import { seedHash, seedMember, seedTenant } from "../seed.ts"
import { pass, type StoreCapabilities, type StoreTest } from "../store-contract.ts"

type Hash = Effect.Success<ReturnType<typeof seedTokens>>["refresh"]

const grace: ReuseGrace = { graceMillis: 2 * minute, maxReuses: 10 }
const millis = (at: DateTime.Utc | undefined) => at && DateTime.toEpochMillis(at)

/** Exchanges a refresh token, and answers what for. */
const rotate = Effect.fnUntraced(function*(hash: Hash, options: ReuseGrace = grace) {
  const tokens = yield* newTokens()
  return { tokens, rotation: yield* (yield* OAuthTokenStore).rotate(hash, tokens, options) }
})
type Rotated = Effect.Success<ReturnType<typeof rotate>>

const tokensOf = (all: ReadonlyArray<Rotated>) => all.map(({ tokens }) => tokens)
const count = (all: ReadonlyArray<Rotated>, rotation: Rotated["rotation"]) => all.filter((one) => one.rotation === rotation).length

const findRefresh = (hash: Hash) => Effect.flatMap(OAuthTokenStore, (store) => store.findRefresh(hash))

/** Asserts that a refresh token is refused, and that nothing was stored for it. */
const isRefused = Effect.fnUntraced(function*(hash: Hash) {
  const { rotation, tokens } = yield* rotate(hash)
  assert.strictEqual(rotation, "refused")
  yield* allWorth([tokens], false)
})

export const refreshTokenTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  test("finds a refresh token with its grant, and tells the present time", Effect.gen(function*() {
    const { grant, refresh } = yield* seedTokens(yield* seedTenant, { tokens: { idleMillis: day } })
    const found = yield* findRefresh(refresh)
    same(Grant, found?.token.grant, grant)
    const { at, token } = found!
    assert.deepStrictEqual([token.rotatedAt, token.reuses], [undefined, 0])
    const idle = millis(token.expiresAt)! - millis(at)!
    assert.isAtMost(idle, day + 1)
    assert.isAbove(idle, day - minute)
  })),
  test("finds a refresh token that has run out, and none by a hash that is unknown or is an access token's", Effect.gen(function*() {
    const { access, refresh } = yield* seedTokens(yield* seedTenant, { tokens: { idleMillis: 0 } })
    const found = yield* findRefresh(refresh)
    assert.isAtMost(millis(found?.token.expiresAt)!, millis(found?.at)! + 1)
    assert.isUndefined(yield* findRefresh(access))
    assert.isUndefined(yield* findRefresh(yield* seedHash("refreshToken")))
  })),
  test("finds no refresh token whose grant was revoked or is over, or whose user is no member any more", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const at = yield* now
    const { user } = yield* seedMember(tenant.organization.id)
    const revoked = yield* seedTokens(tenant, { grant: { revokedAt: at } })
    const over = yield* seedTokens(tenant, { grant: { expiresAt: at } })
    const theirs = yield* seedTokens({ ...tenant, user })
    yield* (yield* MemberStore).remove(tenant.organization.id, user.id, at)
    for (const { refresh } of [revoked, over, theirs]) assert.isUndefined(yield* findRefresh(refresh))
  })),
  test("F2: exchanges a refresh token for new ones, marks that it was used, and leaves older access tokens", Effect.gen(function*() {
    const { grant, refresh, tokens } = yield* seedTokens(yield* seedTenant)
    const { rotation, tokens: fresh } = yield* rotate(refresh)
    assert.strictEqual(rotation, "rotated")
    yield* allWorth([tokens, fresh], true)
    const used = yield* findRefresh(refresh)
    assert.isDefined(used?.token.rotatedAt)
    assert.strictEqual(used.token.reuses, 0)
    const found = yield* findRefresh(fresh.refresh.hash)
    assert.deepStrictEqual([found?.token.grant.id, found?.token.rotatedAt, found?.token.reuses], [grant.id, undefined, 0])
    assert.strictEqual((yield* rotate(fresh.refresh.hash)).rotation, "rotated")
  })),
  test("F13: begins the idle time again with each exchange, up to the end of the grant", Effect.gen(function*() {
    const expiresAt = DateTime.add(yield* now, { milliseconds: 2 * day })
    const { refresh } = yield* seedTokens(yield* seedTenant, { grant: { expiresAt }, tokens: { idleMillis: minute } })
    const store = yield* OAuthTokenStore
    const [idle, absolute] = [yield* newTokens({ idleMillis: day }), yield* newTokens({ idleMillis: 30 * day, accessMillis: 30 * day })]
    assert.strictEqual(yield* store.rotate(refresh, idle, grace), "rotated")
    const found = yield* findRefresh(idle.refresh.hash)
    assert.isAbove(millis(found?.token.expiresAt)! - millis(found?.at)!, day - minute)
    assert.strictEqual(yield* store.rotate(idle.refresh.hash, absolute, grace), "rotated")
    assert.strictEqual(millis((yield* findRefresh(absolute.refresh.hash))?.token.expiresAt), millis(expiresAt))
  })),
  test("F5: exchanges a used refresh token again within the grace, each time for tokens of their own", Effect.gen(function*() {
    const { refresh } = yield* seedTokens(yield* seedTenant)
    const rotated = yield* Effect.forEach([0, 1, 2, 3], () => rotate(refresh))
    assert.strictEqual(count(rotated, "rotated"), 4)
    yield* allWorth(tokensOf(rotated), true)
    assert.strictEqual((yield* findRefresh(refresh))?.token.reuses, 3)
  })),
  test("F4: keeps the first use as the beginning of the grace", Effect.gen(function*() {
    const { refresh } = yield* seedTokens(yield* seedTenant)
    yield* rotate(refresh)
    const first = (yield* findRefresh(refresh))?.token.rotatedAt
    yield* pass(capabilities, 50)
    yield* rotate(refresh)
    assert.strictEqual(millis((yield* findRefresh(refresh))?.token.rotatedAt), millis(first))
  })),
  test("F6: takes a use after the grace for theft, by the store's clock: the whole grant ends", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { grant, refresh, tokens } = yield* seedTokens(tenant)
    const other = yield* seedTokens(tenant)
    const first = yield* rotate(refresh)
    yield* pass(capabilities, 300)
    const told = yield* listenTo(grant)
    const late = yield* rotate(refresh, { graceMillis: 300, maxReuses: 10 })
    assert.strictEqual(late.rotation, "reused")
    yield* told
    yield* allWorth([tokens, first.tokens, late.tokens], false)
    yield* allWorth([other.tokens], true)
    yield* isRefused(refresh)
    yield* isRefused(first.tokens.refresh.hash)
    assert.isUndefined(yield* (yield* GrantStore).revoke(tenant.organization.id, grant.id, undefined, yield* now))
  })),
  test("F4: takes a use beyond the number of reuses for theft, within the grace too", Effect.gen(function*() {
    const { refresh, tokens } = yield* seedTokens(yield* seedTenant)
    const options = { graceMillis: day, maxReuses: 2 }
    const uses = yield* Effect.forEach([0, 1, 2, 3, 4], () => rotate(refresh, options))
    assert.deepStrictEqual(uses.map(({ rotation }) => rotation), ["rotated", "rotated", "rotated", "reused", "refused"])
    yield* allWorth([tokens, ...tokensOf(uses)], false)
  })),
  test("F6: takes the second use for theft where there is no grace", Effect.gen(function*() {
    for (const options of [{ graceMillis: 0, maxReuses: 10 }, { graceMillis: day, maxReuses: 0 }]) {
      const { refresh } = yield* seedTokens(yield* seedTenant)
      const uses = [yield* rotate(refresh, options), yield* rotate(refresh, options)]
      assert.deepStrictEqual(uses.map(({ rotation }) => rotation), ["rotated", "reused"])
      yield* allWorth(tokensOf(uses), false)
    }
  })),
  test("F7: refuses a refresh token that has run out, used or not, within the grace too, and leaves the grant", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const unused = yield* seedTokens(tenant, { tokens: { idleMillis: 300 } })
    const used = yield* seedTokens(tenant, { tokens: { idleMillis: 2000 } })
    const { rotation, tokens } = yield* rotate(used.refresh)
    assert.strictEqual(rotation, "rotated")
    yield* pass(capabilities, 2000)
    yield* isRefused(unused.refresh)
    yield* isRefused(used.refresh)
    yield* allWorth([tokens], true)
  })),
  test("refuses a refresh token that is unknown, or whose grant was revoked or is over", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const at = yield* now
    yield* isRefused(yield* seedHash("refreshToken"))
    yield* isRefused((yield* seedTokens(tenant, { grant: { revokedAt: at } })).refresh)
    yield* isRefused((yield* seedTokens(tenant, { grant: { expiresAt: at } })).refresh)
  })),
  test("F14: refuses a refresh token of somebody who is no member any more", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { user } = yield* seedMember(tenant.organization.id)
    const { refresh } = yield* seedTokens({ ...tenant, user })
    yield* (yield* MemberStore).remove(tenant.organization.id, user.id, yield* now)
    yield* isRefused(refresh)
  })),
  test("F3: rotates for all of twenty who use a token at once, while that is allowed, and all of it ends with the grant", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { grant, refresh } = yield* seedTokens(tenant)
    const uses = yield* twenty(() => rotate(refresh, { graceMillis: day, maxReuses: 19 }))
    assert.strictEqual(count(uses, "rotated"), 20)
    yield* allWorth(tokensOf(uses), true)
    assert.strictEqual((yield* findRefresh(refresh))?.token.reuses, 19)
    yield* (yield* GrantStore).revoke(tenant.organization.id, grant.id, undefined, yield* now)
    yield* allWorth(tokensOf(uses), false)
  })),
  test("F6: finds one theft, and leaves no survivor, where twenty use a token at once that may be used less often", Effect.gen(function*() {
    for (const maxReuses of [0, 10]) {
      const { refresh } = yield* seedTokens(yield* seedTenant)
      const uses = yield* twenty(() => rotate(refresh, { graceMillis: day, maxReuses }))
      const counts = (["rotated", "reused", "refused"] as const).map((rotation) => count(uses, rotation))
      assert.deepStrictEqual(counts, [maxReuses + 1, 1, 18 - maxReuses])
      yield* allWorth(tokensOf(uses), false)
    }
  }))
]
