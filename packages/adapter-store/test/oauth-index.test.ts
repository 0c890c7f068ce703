import { AuthorizationCodeStore, GrantStore, OAuthClientStore, OAuthTokenStore } from "@coppice/core/ports"
import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { sweep } from "../src/sweep.ts"
import { approved, issued, newHash, newTokens, service } from "./oauth-seed.ts"
import { at, migratedDatabase, replica, world } from "./replica.ts"

const expiring = ["access_tokens", "authorization_codes", "authorization_requests", "refresh_tokens"]
const large = [...expiring, "grants", "oauth_clients"]

const uuid = "('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"

/** Six thousand live tokens of two thousand grants of as many clients, older than any that a test makes. */
const seedMany = Effect.gen(function*() {
  const sql = yield* SqlClient
  yield* sql`INSERT INTO oauth_clients (id, redirect_uris, grant_types, auth_method, created_at, updated_at)
    SELECT ${sql.literal(uuid)}, '{}', '{}', 'none', now(), now() FROM generate_series(1, 2000) AS n`
  yield* sql`INSERT INTO authorization_requests (id, client_id, redirect_uri, scope, resource, code_challenge, issuer, visit, created_at, expires_at)
    SELECT id, id, 'u', '{}', 'r', 'c', 'i', repeat('0', 64), now(), now() + interval '10 minutes' FROM oauth_clients`
  yield* sql`INSERT INTO grants (id, organization_id, user_id, client_id, scope, resource, expires_at, created_at, updated_at)
    SELECT c.id, m.organization_id, m.user_id, c.id, '{}', 'r', now() + interval '90 days', now(), now()
    FROM oauth_clients c CROSS JOIN members m`
  for (const [table, rest] of [["access_tokens", "'{}'"], ["authorization_codes", "'c'"]] as const) {
    yield* sql`INSERT INTO ${sql.literal(table)}
      SELECT encode(sha256((g.id::text || n)::bytea), 'hex'), g.organization_id, g.id, ${sql.literal(rest)}, now() + interval '1 hour'
      FROM grants g CROSS JOIN generate_series(1, 3) AS n`
  }
  yield* sql`INSERT INTO refresh_tokens SELECT hash, organization_id, grant_id, expires_at FROM access_tokens`
  yield* sql`ANALYZE`
})

describePostgres("thousands of live tokens", () => {
  it.live("are never looked through for the one that is presented, nor are their grants and clients", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      yield* Effect.gen(function*() {
        const here = yield* world
        const { organizationId, userId } = here
        yield* seedMany
        const sql = yield* SqlClient
        const tokens = yield* OAuthTokenStore
        const grants = yield* GrantStore
        const wide = { max: 1000, windowSeconds: 60 }
        /** How often each table was looked through as a whole, as far as this connection knows. */
        const scans = (tables: ReadonlyArray<string>) =>
          sql`SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE ${sql.in("relname", tables)} ORDER BY relname`
        yield* Effect.gen(function*() {
          const before = yield* scans(large)
          const expiringBefore = yield* scans(expiring)
          const { client, userId: serviceId } = yield* service(here)
          yield* issued({ organizationId, userId: serviceId }, client)
          const { codeHash } = yield* approved(here)
          const { access, grant, refresh } = yield* issued(here)
          assert.isDefined(yield* tokens.authenticate(access, wide))
          assert.isUndefined(yield* tokens.authenticate(newHash(), wide))
          assert.isDefined(yield* tokens.identify(access))
          assert.isDefined(yield* tokens.findRefresh(refresh))
          assert.strictEqual(yield* tokens.rotate(refresh, newTokens(), { graceMillis: 0, maxReuses: 0 }), "rotated")
          assert.isDefined(yield* tokens.revoke(access, undefined, at))
          assert.strictEqual((yield* grants.list(organizationId, userId, {})).items.length, 50)
          assert.strictEqual((yield* grants.list(organizationId, undefined, {})).items.length, 50)
          assert.isDefined(yield* grants.revoke(organizationId, grant.id, userId, at))
          yield* (yield* AuthorizationCodeStore).miss(codeHash)
          assert.isTrue(yield* (yield* AuthorizationCodeStore).redeem(codeHash, newTokens(), 5))
          assert.strictEqual((yield* (yield* OAuthClientStore).services(organizationId, {})).items.length, 1)
          assert.isTrue(yield* (yield* OAuthClientStore).remove(organizationId, client.id, at))
          assert.deepStrictEqual(yield* scans(large), before)
          yield* sweep
          assert.deepStrictEqual(yield* scans(expiring), expiringBefore)
        }).pipe(sql.withTransaction)
      }).pipe(Effect.provideContext(yield* replica(url)))
    }).pipe(Effect.scoped), 60_000)
})
