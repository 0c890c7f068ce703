import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { postgresLayer } from "../src/index.ts"
import { sweep } from "../src/sweep.ts"
import { migratedDatabase } from "./replica.ts"

describePostgres("a sweep", () => {
  it.live("removes the windows that closed long ago, in batches, and passes over what somebody holds", () =>
    Effect.gen(function*() {
      const url = Redacted.make(yield* migratedDatabase)
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        yield* sql`INSERT INTO rate_windows
          SELECT 'old:' || n, 1, clock_timestamp() - interval '1 hour', clock_timestamp() - interval '2 minutes'
          FROM generate_series(1, 2500) AS n`
        yield* sql`INSERT INTO rate_windows
          VALUES ('open', 1, clock_timestamp(), clock_timestamp() + interval '1 minute')`
        yield* Effect.gen(function*() {
          yield* sql`SELECT key FROM rate_windows WHERE key = 'old:7' FOR UPDATE`
          yield* Effect.provide(sweep, postgresLayer({ url }))
        }).pipe(sql.withTransaction)
        const left = yield* sql`SELECT key FROM rate_windows ORDER BY key`
        assert.deepStrictEqual(left, [{ key: "old:7" }, { key: "open" }])
      }).pipe(Effect.provide(postgresLayer({ url })))
    }))
})
