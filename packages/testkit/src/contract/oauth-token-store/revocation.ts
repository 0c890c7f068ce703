import { Grant, now } from "@coppice/core"
import { GrantStore, OAuthTokenStore } from "@coppice/core/ports"
import { DateTime, Effect } from "effect"
import { assert } from "vitest"
import { same, test, twenty } from "../check.ts"
import { allWorth, listenTo, minute, newTokens, seedClient, seedTokens, worth } from "../seed-oauth.ts"
import { seedHash, seedTenant } from "../seed.ts"
import { pass, type StoreCapabilities, type StoreTest } from "../store-contract.ts"

const grace = { graceMillis: 2 * minute, maxReuses: 100 }

export const revocationTests = (capabilities: StoreCapabilities): ReadonlyArray<StoreTest> => [
  test("ends an access token alone, tells those who listen, and answers the grant", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const { access, grant, refresh, tokens } = yield* seedTokens(yield* seedTenant)
    const fresh = yield* newTokens()
    yield* store.rotate(refresh, fresh, grace)
    const told = yield* listenTo(grant)
    same(Grant, yield* store.revoke(access, undefined, yield* now), grant)
    yield* told
    assert.deepStrictEqual(yield* worth([tokens, fresh]), [[false, true], [true, true]])
    assert.isUndefined(yield* store.revoke(access, undefined, yield* now))
  })),
  test("ends the whole grant of a refresh token, used or not, tells those who listen, and answers the grant", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const tenant = yield* seedTenant
    const later = DateTime.add(yield* now, { hours: 1 })
    const other = yield* seedTokens(tenant)
    for (const which of ["used", "fresh"] as const) {
      const { grant, refresh, tokens } = yield* seedTokens(tenant)
      const fresh = yield* newTokens()
      yield* store.rotate(refresh, fresh, grace)
      const told = yield* listenTo(grant)
      const ended = yield* store.revoke(which === "used" ? refresh : fresh.refresh.hash, undefined, later)
      same(Grant, ended, { ...grant, revokedAt: later, updatedAt: later })
      yield* told
      yield* allWorth([tokens, fresh], false)
    }
    yield* allWorth([other.tokens], true)
  })),
  test("ends a token of the client that is given, and of no other", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const tenant = yield* seedTenant
    const stranger = yield* seedClient()
    const { access, client, refresh, tokens } = yield* seedTokens(tenant)
    const at = yield* now
    assert.isUndefined(yield* store.revoke(access, stranger.id, at))
    assert.isUndefined(yield* store.revoke(refresh, stranger.id, at))
    yield* allWorth([tokens], true)
    assert.isDefined(yield* store.revoke(access, client.id, at))
    assert.deepStrictEqual(yield* worth([tokens]), [[false, true]])
    assert.isDefined(yield* store.revoke(refresh, client.id, at))
    yield* allWorth([tokens], false)
  })),
  test("answers undefined for a token that is unknown or has expired, or whose grant was revoked or is over", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const tenant = yield* seedTenant
    const at = yield* now
    const expired = yield* seedTokens(tenant, { tokens: { accessMillis: 0 } })
    const revoked = yield* seedTokens(tenant, { grant: { revokedAt: at } })
    const over = yield* seedTokens(tenant, { grant: { expiresAt: at } })
    yield* pass(capabilities, 1)
    const hashes = [yield* seedHash("accessToken"), expired.access, revoked.access, revoked.refresh, over.access, over.refresh]
    for (const hash of hashes) assert.isUndefined(yield* store.revoke(hash, undefined, at))
    assert.isDefined(yield* store.findRefresh(expired.refresh))
  })),
  test("ends a token for one of twenty who revoke it at once", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const tenant = yield* seedTenant
    const at = yield* now
    for (const which of ["access", "refresh"] as const) {
      const seeded = yield* seedTokens(tenant)
      const answers = yield* twenty(() => store.revoke(seeded[which], undefined, at))
      assert.strictEqual(answers.filter((answer) => answer !== undefined).length, 1)
    }
  })),
  test("F11: leaves no survivor where a grant is revoked while its token is exchanged, whoever comes first", Effect.gen(function*() {
    const store = yield* OAuthTokenStore
    const grants = yield* GrantStore
    const tenant = yield* seedTenant
    const at = yield* now
    for (const byToken of [true, false, true, false]) {
      const { grant, refresh, tokens } = yield* seedTokens(tenant)
      const tries = yield* twenty((number) =>
        Effect.gen(function*() {
          const fresh = yield* newTokens()
          if (number % 4 !== 3) return { fresh, answer: yield* store.rotate(refresh, fresh, grace) }
          const revoked = byToken ? store.revoke(refresh, undefined, at) : grants.revoke(tenant.organization.id, grant.id, undefined, at)
          return { fresh, answer: (yield* revoked) === undefined ? "late" : "ended" }
        })
      )
      assert.strictEqual(tries.filter(({ answer }) => answer === "ended").length, 1)
      assert.strictEqual(tries.filter(({ answer }) => answer === "late").length, 4)
      yield* allWorth([tokens, ...tries.map(({ fresh }) => fresh)], false)
    }
  }))
]
