import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { postgresLayer } from "../src/index.ts"
import { sweep } from "../src/sweep.ts"
import { migratedDatabase } from "./replica.ts"

describePostgres("a sweep", () => {
  it.live("removes windows, sessions, messages, invitations and entries whose time is over, in batches, and passes over what somebody holds", () =>
    Effect.gen(function*() {
      const url = Redacted.make(yield* migratedDatabase)
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        yield* sql`INSERT INTO rate_windows
          SELECT 'old:' || n, 1, clock_timestamp() - interval '1 hour', clock_timestamp() - interval '2 minutes'
          FROM generate_series(1, 2500) AS n`
        yield* sql`INSERT INTO rate_windows
          VALUES ('open', 1, clock_timestamp(), clock_timestamp() + interval '1 minute')`
        yield* sql`WITH o AS (
            INSERT INTO organizations VALUES (gen_random_uuid(), 'O', now(), now()) RETURNING id
          ), u AS (
            INSERT INTO users SELECT gen_random_uuid(), 'a@b.c', 'a@b.c', 'U', id, now(), now() FROM o RETURNING id
          )
          INSERT INTO mcp_sessions (id, organization_id, user_id, credential, protocol_version, client_name, client_version,
            log_level, expires_at, created_at, updated_at)
          SELECT expiry, o.id, u.id, 'operator', '2025-11-25', 'c', '1', 'info', now() + expiry::interval, now(), now()
          FROM o, u, unnest(ARRAY['-1 second', '1 hour']) AS expiry`
        yield* sql`
          INSERT INTO browser_sessions SELECT gen_random_uuid(), u.id, expiry, '::1', expiry, now(), now() + expiry::interval, now(), now()
          FROM users u, unnest(ARRAY['-1 second', '1 hour']) AS expiry`
        yield* sql`
          INSERT INTO invitations SELECT gen_random_uuid(), u.active_organization_id, expiry, expiry, 'member', expiry, u.id,
            now() + expiry::interval, now(), now()
          FROM users u, unnest(ARRAY['-1 second', '1 hour']) AS expiry`
        yield* sql`
          INSERT INTO audit_entries SELECT gen_random_uuid(), o.id, 'user.signed_in', NULL, age, NULL, '::1', now() - age::interval
          FROM organizations o, unnest(ARRAY['401 days', '399 days']) AS age`
        yield* sql`INSERT INTO mcp_messages SELECT '1 hour', n, '{}', now() - n * interval '40 minutes'
          FROM generate_series(1, 3) AS n`
        yield* Effect.gen(function*() {
          yield* sql`SELECT key FROM rate_windows WHERE key = 'old:7' FOR UPDATE`
          yield* Effect.provide(sweep, postgresLayer({ url }))
        }).pipe(sql.withTransaction)
        const left = yield* sql`SELECT key FROM rate_windows ORDER BY key`
        assert.deepStrictEqual(left, [{ key: "old:7" }, { key: "open" }])
        assert.deepStrictEqual(yield* sql`SELECT id FROM mcp_sessions`, [{ id: "1 hour" }])
        assert.deepStrictEqual(yield* sql`SELECT user_agent FROM browser_sessions`, [{ userAgent: "1 hour" }])
        assert.deepStrictEqual(yield* sql`SELECT email FROM invitations`, [{ email: "1 hour" }])
        assert.deepStrictEqual(yield* sql`SELECT subject FROM audit_entries`, [{ subject: "399 days" }])
        assert.deepStrictEqual(yield* sql`SELECT sequence FROM mcp_messages`, [{ sequence: 1 }])
      }).pipe(Effect.provide(postgresLayer({ url })))
    }))
})
