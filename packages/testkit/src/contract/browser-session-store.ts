import { BrowserSession, BrowserSessionId, newId, now, type SecretHash, UserId } from "@coppice/core"
import { BrowserSessionStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect } from "effect"
import { assert } from "vitest"
import { fiveTimes, idsOf, instants, property, same, sameAll, test, twenty } from "./check.ts"
import { seedHash, seedTenant } from "./seed.ts"
import { pass, storeContract } from "./store-contract.ts"

const hour = 3_600_000

const seedSession = Effect.fnUntraced(function*(
  userId: UserId,
  fields: Partial<BrowserSession> = {},
  maxSessions = 100
) {
  const at = yield* now
  const session: BrowserSession = {
    id: yield* newId(BrowserSessionId),
    userId,
    address: "192.0.2.1",
    userAgent: "Seeded",
    authenticatedAt: at,
    expiresAt: DateTime.add(at, { hours: 12 }),
    createdAt: at,
    updatedAt: at,
    ...fields
  }
  const hash = yield* seedHash("browserSession")
  yield* (yield* BrowserSessionStore).create(session, hash, maxSessions)
  return { session, hash }
})

const fields = Arbitrary.all({
  address: Arbitrary.schema(BrowserSession.fields.address),
  userAgent: Arbitrary.schema(BrowserSession.fields.userAgent),
  authenticatedAt: instants,
  createdAt: instants
})

const idOf = (hash: SecretHash, idleMillis = hour) =>
  Effect.gen(function*() {
    return (yield* (yield* BrowserSessionStore).use(hash, idleMillis))?.id
  })

export const browserSessionStoreContract = storeContract("BrowserSessionStore", (capabilities) => [
  property("stores a session under its hash, and answers it as it was given", fields, (fields) =>
    Effect.gen(function*() {
      const store = yield* BrowserSessionStore
      const { user } = yield* seedTenant
      const { hash, session } = yield* seedSession(user.id, fields)
      const used = yield* store.use(hash, hour)
      // When it was last used is the store's to say.
      same(BrowserSession, used && { ...used, updatedAt: session.updatedAt }, session)
      sameAll(BrowserSession, yield* store.list(user.id), [used])
    })),
  test("knows no session by another secret", Effect.gen(function*() {
    yield* seedSession((yield* seedTenant).user.id)
    assert.isUndefined(yield* idOf(yield* seedHash("browserSession")))
  })),
  test("knows no session that has expired, used or not, by the store's clock", Effect.gen(function*() {
    const store = yield* BrowserSessionStore
    const { user } = yield* seedTenant
    const { hash, session } = yield* seedSession(user.id, { expiresAt: DateTime.add(yield* now, { seconds: 2 }) })
    const other = yield* seedSession(user.id)
    assert.strictEqual(yield* idOf(hash), session.id)
    yield* pass(capabilities, 2000)
    assert.isUndefined(yield* idOf(hash))
    assert.deepStrictEqual(idsOf(yield* store.list(user.id)), [other.session.id])
  })),
  test("knows no session that was idle for too long, by the store's clock", Effect.gen(function*() {
    // Whatever the clock of whoever began it said.
    const skewed = DateTime.add(yield* now, { hours: -2 })
    const { hash, session } = yield* seedSession((yield* seedTenant).user.id, { updatedAt: skewed })
    assert.strictEqual(yield* idOf(hash), session.id)
    yield* pass(capabilities, 1000)
    assert.isUndefined(yield* idOf(hash, 1000))
    assert.strictEqual(yield* idOf(hash, hour), session.id)
  })),
  ...(capabilities.clock === "test"
    ? [
      test("remembers a use at most once a minute, and lets a session that is used live on", Effect.gen(function*() {
        const store = yield* BrowserSessionStore
        const { hash, session } = yield* seedSession((yield* seedTenant).user.id)
        const usedAfter = (seconds: number) =>
          Effect.gen(function*() {
            yield* pass(capabilities, seconds * 1000)
            const used = yield* store.use(hash, hour)
            return used && DateTime.toEpochMillis(used.updatedAt) - DateTime.toEpochMillis(session.createdAt)
          })
        assert.strictEqual(yield* usedAfter(59), 0)
        assert.strictEqual(yield* usedAfter(1), 60_000)
        assert.strictEqual(yield* usedAfter(59), 60_000)
        assert.strictEqual(yield* usedAfter(59 * 60), 60_000 + 59 * 1000 + 59 * 60_000)
        assert.strictEqual(yield* usedAfter(59 * 60 + 59), 60_000 + 59 * 1000 + 59 * 60_000 + 59 * 60_000 + 59_000)
        assert.isUndefined(yield* usedAfter(60 * 60))
      }))
    ]
    : []),
  test("writes nothing when a session is used again at once", Effect.gen(function*() {
    const store = yield* BrowserSessionStore
    const { hash } = yield* seedSession((yield* seedTenant).user.id)
    const [first, ...rest] = yield* twenty(() => store.use(hash, hour))
    for (const used of rest) same(BrowserSession, used, first)
  })),
  test("lists the sessions of a user, newest first, and nobody else's", Effect.gen(function*() {
    const store = yield* BrowserSessionStore
    const { user } = yield* seedTenant
    yield* seedSession((yield* seedTenant).user.id)
    const sessions = yield* fiveTimes(seedSession(user.id))
    const ids = idsOf(sessions.map(({ session }) => session))
    assert.deepStrictEqual(idsOf(yield* store.list(user.id)), ids.toReversed())
  })),
  test("ends one session at once, and answers whether there was one", Effect.gen(function*() {
    const store = yield* BrowserSessionStore
    const { user } = yield* seedTenant
    const { hash, session } = yield* seedSession(user.id)
    const other = yield* seedSession(user.id)
    assert.isTrue(yield* store.end(user.id, session.id))
    assert.isUndefined(yield* idOf(hash))
    assert.isFalse(yield* store.end(user.id, session.id))
    assert.strictEqual(yield* idOf(other.hash), other.session.id)
  })),
  test("ends no session of another user", Effect.gen(function*() {
    const store = yield* BrowserSessionStore
    const { hash, session } = yield* seedSession((yield* seedTenant).user.id)
    const { user } = yield* seedTenant
    assert.isFalse(yield* store.end(user.id, session.id))
    assert.strictEqual(yield* store.endAll(user.id), 0)
    assert.strictEqual(yield* idOf(hash), session.id)
  })),
  test("ends all sessions of a user but the one to keep", Effect.gen(function*() {
    const store = yield* BrowserSessionStore
    const { user } = yield* seedTenant
    const sessions = yield* fiveTimes(seedSession(user.id))
    const kept = sessions[2]!.session
    assert.strictEqual(yield* store.endAll(user.id, kept.id), 4)
    assert.deepStrictEqual(idsOf(yield* store.list(user.id)), [kept.id])
    assert.isUndefined(yield* idOf(sessions[4]!.hash))
    assert.strictEqual(yield* store.endAll(user.id), 1)
    assert.isUndefined(yield* idOf(sessions[2]!.hash))
  })),
  test("keeps the newest sessions of a user, and as many of another's", Effect.gen(function*() {
    const store = yield* BrowserSessionStore
    const { user } = yield* seedTenant
    const stranger = yield* seedSession((yield* seedTenant).user.id)
    const sessions = yield* fiveTimes(seedSession(user.id, {}, 3))
    const newest = idsOf(sessions.map(({ session }) => session)).slice(2)
    assert.deepStrictEqual(idsOf(yield* store.list(user.id)), newest.toReversed())
    assert.isUndefined(yield* idOf(sessions[0]!.hash))
    assert.strictEqual(yield* idOf(stranger.hash), stranger.session.id)
  })),
  test("keeps exactly so many when twenty begin at once", Effect.gen(function*() {
    const { user } = yield* seedTenant
    yield* twenty(() => seedSession(user.id, {}, 3))
    assert.strictEqual((yield* (yield* BrowserSessionStore).list(user.id)).length, 3)
  }))
])
