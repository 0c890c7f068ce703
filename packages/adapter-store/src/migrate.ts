import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { migrations } from "./migrations/index.ts"

/** The database is not one that this version may work on. Nothing was changed. */
export class MigrationRefused extends Schema.TaggedError<MigrationRefused>()("MigrationRefused", {
  message: Schema.String,
  hint: Schema.String
}) {}

/** Any number will do, as long as every version uses the same one. */
const lockKey = 4_280_280_428

/** The id of the newest migration that this version knows. */
export const latestMigration = migrations.at(-1)!.id

interface Applied {
  readonly id: number
  readonly name: string
}

const refusal = (applied: ReadonlyArray<Applied>): MigrationRefused | undefined => {
  const newer = applied.filter((row) => row.id > latestMigration)
  if (newer.length > 0) {
    return new MigrationRefused({
      message: `The database was migrated to ${newer.at(-1)!.id} by a newer version; this one knows ${latestMigration}.`,
      hint: "Run the newer version, or restore a backup from before the upgrade."
    })
  }
  const other = applied.find((row) => migrations.find(({ id }) => id === row.id)?.name !== row.name)
  return other === undefined ? undefined : new MigrationRefused({
    message: `Migration ${other.id} of the database is "${other.name}", which is not the one of this version.`,
    hint: "Point DATABASE_URL at a database of Coppice's own."
  })
}

/**
 * Brings the database to this version's schema, in one transaction: all of it or nothing. Of several processes that start
 * at once one does the work and the others wait for it. The lock is the transaction's and not the session's, because
 * all connections of the embedded database are one session.
 */
export const migrate: Effect.Effect<void, MigrationRefused, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  yield* Effect.gen(function*() {
    yield* sql`SELECT pg_advisory_xact_lock(${lockKey})`
    yield* sql`CREATE TABLE IF NOT EXISTS schema_migrations (
      id integer PRIMARY KEY,
      name text NOT NULL,
      applied_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`.unprepared
    const applied = yield* sql<Applied>`SELECT id, name FROM schema_migrations ORDER BY id`
    const refused = refusal(applied)
    if (refused !== undefined) return yield* refused
    for (const { id, name, statements } of migrations.slice(applied.length)) {
      for (const statement of statements) yield* sql.unsafe(statement).unprepared
      yield* sql`INSERT INTO schema_migrations (id, name) VALUES (${id}, ${name})`
    }
  }).pipe(
    sql.withTransaction,
    Effect.catchTag("SqlError", Effect.die)
  )
}).pipe(Effect.withSpan("migrate"))

/** The database does not serve, or not yet. */
export class DatabaseNotReady extends Schema.TaggedError<DatabaseNotReady>()("DatabaseNotReady", {
  message: Schema.String
}) {}

/** Whether the database answers within that time (2 s) and has the schema of this version. For `/readyz`. */
export const checkDatabase = (
  options: { readonly timeoutMillis?: number } = {}
): Effect.Effect<void, DatabaseNotReady, SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const [row] = yield* sql<{ readonly id: number | null }>`SELECT max(id) AS id FROM schema_migrations`
    if (row?.id !== latestMigration) {
      return yield* new DatabaseNotReady({ message: `The schema is at ${row?.id ?? 0}, not at ${latestMigration}.` })
    }
  }).pipe(
    Effect.catchTag("SqlError", (error) => Effect.fail(new DatabaseNotReady({ message: error.message }))),
    Effect.timeoutOrElse({
      duration: options.timeoutMillis ?? 2000,
      orElse: () => Effect.fail(new DatabaseNotReady({ message: "The database did not answer in time." }))
    })
  )
