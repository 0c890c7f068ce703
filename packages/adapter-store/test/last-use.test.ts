import { ApiKeyId, BrowserSessionId, foundOrganization, issueSecret, newId, now } from "@coppice/core"
import { ApiKeyStore, BrowserSessionStore } from "@coppice/core/ports"
import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { SqlClient } from "effect/sql/SqlClient"
import { postgresLayer, storeLayer } from "../src/index.ts"
import { migratedDatabase } from "./replica.ts"

const stores = Layer.unwrap(
  Effect.map(migratedDatabase, (url) =>
    Layer.merge(storeLayer.pipe(Layer.provideMerge(postgresLayer({ url: Redacted.make(url) }))), layerWebCrypto))
)

const tenant = foundOrganization({ organizationName: "Acme", email: "owner@example.com", name: "Owner" })

/** How many seconds ago, by the database's clock. */
const agoSeconds = (instant: DateTime.Utc) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const [row] = yield* sql<{ readonly seconds: number }>`
      SELECT extract(epoch FROM clock_timestamp() - ${DateTime.formatIso(instant)}::timestamptz)::float8 AS seconds`
    return row!.seconds
  })

// What the contracts can only judge where a test moves the clock, here with rows that were made older.
describePostgres("what was used last", () => {
  it.live("is written down for an API key once a minute", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const store = yield* ApiKeyStore
      const { organization, user } = yield* tenant
      const { hash } = yield* issueSecret("apiKey")
      const at = yield* now
      const times = { createdAt: at, updatedAt: at }
      const key = { id: yield* newId(ApiKeyId), organizationId: organization.id, userId: user.id, name: "K", access: "full" as const }
      yield* store.create({ ...key, ...times }, hash)
      const usedAgain = (afterSeconds: number) =>
        Effect.gen(function*() {
          yield* sql`UPDATE api_keys SET last_used_at = clock_timestamp() - ${afterSeconds} * interval '1 second'`
          assert.isDefined(yield* store.authenticate(hash, { max: 10, windowSeconds: 60 }))
          return yield* agoSeconds((yield* store.list(organization.id, {}, {})).items[0]!.lastUsedAt!)
        })
      assert.isAbove(yield* usedAgain(30), 29)
      assert.isBelow(yield* usedAgain(61), 60)
    }).pipe(Effect.provide(stores)))

  it.live("is written down for a browser once a minute, and keeps it signed in", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const store = yield* BrowserSessionStore
      const { user } = yield* tenant
      const { hash } = yield* issueSecret("browserSession")
      const at = yield* now
      yield* store.create(
        {
          id: yield* newId(BrowserSessionId),
          userId: user.id,
          address: "::1",
          userAgent: "Browser",
          authenticatedAt: at,
          expiresAt: DateTime.add(at, { days: 1 }),
          createdAt: at,
          updatedAt: at
        },
        hash,
        10
      )
      const usedAgain = (afterSeconds: number) =>
        Effect.gen(function*() {
          yield* sql`UPDATE browser_sessions SET updated_at = clock_timestamp() - ${afterSeconds} * interval '1 second'`
          const session = yield* store.use(hash, 3_600_000)
          return session && (yield* agoSeconds(session.updatedAt))
        })
      assert.isAbove((yield* usedAgain(30))!, 29)
      assert.isBelow((yield* usedAgain(3500))!, 60)
      assert.isUndefined(yield* usedAgain(3601))
    }).pipe(Effect.provide(stores)))
})
