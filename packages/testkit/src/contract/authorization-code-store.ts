import { type AuthorizationCode, Grant, now } from "@coppice/core"
import { AuthorizationCodeStore, GrantStore, MemberStore, OAuthTokenStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { instants, property, same, test, twenty } from "./check.ts"
import { allWorth, codeOf, day, minute, newTokens, seedCode, wide } from "./seed-oauth.ts"
import { seedHash, seedMember, seedTenant } from "./seed.ts"
import { pass, storeContract } from "./store-contract.ts"

const maxMisses = 5
const codeFields = Arbitrary.all({ codeChallenge: Arbitrary.schema(Schema.String), codeExpiresAt: instants })
const millis = (at: DateTime.Utc | undefined) => at && DateTime.toEpochMillis(at)

const isFresh = ({ misses, redeemedAt }: AuthorizationCode) => misses === 0 && redeemedAt === undefined

/** Redeems a code, and answers what that was worth. */
const redeem = Effect.fnUntraced(function*(code: Pick<Effect.Success<ReturnType<typeof seedCode>>, "codeHash">) {
  const tokens = yield* newTokens()
  return { tokens, redeemed: yield* (yield* AuthorizationCodeStore).redeem(code.codeHash, tokens, maxMisses) }
})

/** Asserts that a code is refused, and that what it would have been exchanged for is worth nothing. */
const isRefused = Effect.fnUntraced(function*(code: Parameters<typeof redeem>[0]) {
  const { redeemed, tokens } = yield* redeem(code)
  assert.isFalse(redeemed)
  yield* allWorth([tokens], false)
})

export const authorizationCodeStoreContract = storeContract("AuthorizationCodeStore", (capabilities) => [
  property("keeps a code under its hash, with its grant", codeFields, (fields) =>
    Effect.gen(function*() {
      const store = yield* GrantStore
      const tenant = yield* seedTenant
      const { codeHash, grant } = yield* seedCode(tenant, { fields })
      const code = yield* codeOf(codeHash)
      assert.isDefined(code)
      assert.isTrue(isFresh(code))
      same(Grant, code.grant, grant)
      assert.deepStrictEqual([code.codeChallenge, millis(code.expiresAt)], [fields.codeChallenge, millis(fields.codeExpiresAt)])
      assert.strictEqual((yield* store.list(tenant.organization.id, undefined, {})).items.length, 1)
    })),
  test("knows no code by a hash that is unknown", Effect.gen(function*() {
    assert.isUndefined(yield* (yield* AuthorizationCodeStore).find(yield* seedHash("authorizationCode")))
    yield* isRefused({ codeHash: yield* seedHash("authorizationCode") })
  })),
  test("finds a code that was redeemed, with the time of that, and one that has expired, and tells the present time", Effect.gen(function*() {
    const store = yield* AuthorizationCodeStore
    const tenant = yield* seedTenant
    const expired = yield* seedCode(tenant, { codeMillis: 0 })
    const code = yield* seedCode(tenant)
    const before = yield* store.find(code.codeHash)
    yield* pass(capabilities, 100)
    assert.isTrue((yield* redeem(code)).redeemed)
    const after = yield* store.find(code.codeHash)
    const redeemedAt = millis(after?.code.redeemedAt) ?? 0
    assert.isAtLeast(redeemedAt, millis(before!.at)! + 100)
    assert.isAtMost(redeemedAt, millis(after!.at)! + 1)
    const found = yield* store.find(expired.codeHash)
    assert.isAtLeast(millis(found!.at)!, millis(found!.code.expiresAt)!)
  })),
  test("stores the tokens that a code is redeemed for", Effect.gen(function*() {
    const tokens = yield* OAuthTokenStore
    const tenant = yield* seedTenant
    const { codeHash, grant } = yield* seedCode(tenant)
    const stored = yield* newTokens({ scope: ["openid", "email"] })
    assert.isTrue(yield* (yield* AuthorizationCodeStore).redeem(codeHash, stored, maxMisses))
    const { clientId, id, resource } = grant
    assert.deepStrictEqual((yield* tokens.authenticate(stored.accessHash, wide))?.principal, {
      organizationId: tenant.organization.id,
      userId: tenant.user.id,
      role: "owner",
      grant: { id, clientId, resource, scope: ["openid", "email"] }
    })
    same(Grant, (yield* tokens.findRefresh(stored.refresh.hash))?.token.grant, {
      ...grant,
      lastUsedAt: (yield* codeOf(codeHash))?.grant.lastUsedAt
    })
  })),
  test("F1: stores no refresh token where none is given", Effect.gen(function*() {
    const { codeHash } = yield* seedCode(yield* seedTenant)
    const { refresh, ...access } = yield* newTokens()
    assert.isTrue(yield* (yield* AuthorizationCodeStore).redeem(codeHash, access, maxMisses))
    assert.isDefined(yield* (yield* OAuthTokenStore).identify(access.accessHash))
    assert.isUndefined(yield* (yield* OAuthTokenStore).findRefresh(refresh.hash))
  })),
  test("F13: lets no token last longer than its grant", Effect.gen(function*() {
    const tokens = yield* OAuthTokenStore
    const expiresAt = DateTime.add(yield* now, { milliseconds: day })
    const { codeHash } = yield* seedCode(yield* seedTenant, { grant: { expiresAt } })
    const stored = yield* newTokens()
    assert.isTrue(yield* (yield* AuthorizationCodeStore).redeem(codeHash, stored, maxMisses))
    assert.strictEqual(millis((yield* tokens.findRefresh(stored.refresh.hash))?.token.expiresAt), millis(expiresAt))
  })),
  test("T1: redeems a code once", Effect.gen(function*() {
    const code = yield* seedCode(yield* seedTenant)
    const first = yield* redeem(code)
    assert.isTrue(first.redeemed)
    const redeemedAt = (yield* codeOf(code.codeHash))?.redeemedAt
    yield* isRefused(code)
    yield* allWorth([first.tokens], true)
    assert.strictEqual(millis((yield* codeOf(code.codeHash))?.redeemedAt), millis(redeemedAt))
  })),
  test("T1: redeems a code for one of twenty who try at once, and stores no tokens for the others", Effect.gen(function*() {
    const code = yield* seedCode(yield* seedTenant)
    const tries = yield* twenty(() => redeem(code))
    assert.strictEqual(tries.filter(({ redeemed }) => redeemed).length, 1)
    yield* allWorth(tries.flatMap(({ redeemed, tokens }) => redeemed ? [tokens] : []), true)
    yield* allWorth(tries.flatMap(({ redeemed, tokens }) => redeemed ? [] : [tokens]), false)
  })),
  test("T8: redeems no code that has expired, by the store's clock", Effect.gen(function*() {
    const code = yield* seedCode(yield* seedTenant, { codeMillis: 300 })
    yield* pass(capabilities, 300)
    yield* isRefused(code)
    assert.isUndefined((yield* codeOf(code.codeHash))?.redeemedAt)
  })),
  test("T5: redeems a code that was missed, but not once it was missed too often", Effect.gen(function*() {
    const store = yield* AuthorizationCodeStore
    const tenant = yield* seedTenant
    const [nearly, burned] = [yield* seedCode(tenant), yield* seedCode(tenant)]
    yield* Effect.forEach([1, 2, 3, 4], () => store.miss(nearly.codeHash))
    yield* Effect.forEach([1, 2, 3, 4, 5], () => store.miss(burned.codeHash))
    assert.isTrue((yield* redeem(nearly)).redeemed)
    yield* isRefused(burned)
  })),
  test("counts each of twenty misses at once, and none for a code that is unknown", Effect.gen(function*() {
    const store = yield* AuthorizationCodeStore
    const tenant = yield* seedTenant
    const [code, other] = [yield* seedCode(tenant), yield* seedCode(tenant)]
    yield* twenty(() => store.miss(code.codeHash))
    yield* store.miss(yield* seedHash("authorizationCode"))
    assert.strictEqual((yield* codeOf(code.codeHash))?.misses, 20)
    assert.strictEqual((yield* codeOf(other.codeHash))?.misses, 0)
  })),
  test("redeems no code of a grant that was revoked, and shows that it was", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const code = yield* seedCode(tenant)
    const at = yield* now
    yield* (yield* GrantStore).revoke(tenant.organization.id, code.grant.id, undefined, at)
    yield* isRefused(code)
    assert.strictEqual(millis((yield* codeOf(code.codeHash))?.grant.revokedAt), millis(at))
  })),
  test("redeems no code of a grant that is over", Effect.gen(function*() {
    const code = yield* seedCode(yield* seedTenant, { grant: { expiresAt: yield* now } })
    yield* isRefused(code)
  })),
  test("F14: redeems no code of somebody who is no member any more", Effect.gen(function*() {
    const tenant = yield* seedTenant
    const { user } = yield* seedMember(tenant.organization.id)
    const code = yield* seedCode({ ...tenant, user })
    yield* (yield* MemberStore).remove(tenant.organization.id, user.id, yield* now)
    yield* isRefused(code)
  })),
  test("stores no survivor where a code is redeemed while its grant is revoked", Effect.gen(function*() {
    const store = yield* GrantStore
    const tenant = yield* seedTenant
    for (let round = 0; round < 5; round++) {
      const code = yield* seedCode(tenant, { codeMillis: minute })
      const tries = yield* twenty((number) =>
        number === 9
          ? Effect.as(Effect.flatMap(now, (at) => store.revoke(tenant.organization.id, code.grant.id, undefined, at)), undefined)
          : redeem(code)
      )
      assert.isAtMost(tries.filter((one) => one?.redeemed).length, 1)
      yield* allWorth(tries.flatMap((one) => one === undefined ? [] : [one.tokens]), false)
    }
  }))
])
