import type { PgClient } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/*
 * A PostgreSQL server has processes beside the sessions that write checkpoints and vacuum. PGlite is one session and
 * nothing else: its log would grow for ever, and with it the recovery after a crash, and dead rows would stay.
 */

const checkpointBytes = 32 * 1024 * 1024
const everySeconds = 30

/** Writes a checkpoint once the log since the last one is longer than `bytes`. It took 0.3 s after 64 MB. */
export const checkpointIfDue = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  bytes: number
): Effect.fn.Return<boolean, SqlError> {
  const [log] = yield* sql<{ bytes: number }>`
    SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::int8 AS bytes FROM pg_control_checkpoint()`
  if (log === undefined || log.bytes < bytes) return false
  yield* sql`CHECKPOINT`.unprepared
  return true
})

/** Vacuums the tables that PostgreSQL's own autovacuum would, by its default thresholds, and returns their names. */
export const vacuumWhatIsDue = Effect.fnUntraced(function*(
  sql: PgClient.PgClient
): Effect.fn.Return<ReadonlyArray<string>, SqlError> {
  const due = yield* sql<{ name: string }>`
    SELECT format('%I.%I', schemaname, s.relname) AS name
    FROM pg_stat_all_tables s JOIN pg_class c ON c.oid = s.relid
    WHERE schemaname <> 'pg_toast' AND c.relkind = 'r' AND (
      n_dead_tup > 50 + 0.2 * greatest(reltuples, 0) OR
      n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0) OR
      n_ins_since_vacuum > 1000 + 0.2 * greatest(reltuples, 0) OR
      age(c.relfrozenxid) > 150000000)`
  for (const { name } of due) yield* sql.unsafe(`VACUUM (ANALYZE) ${name}`).unprepared
  return due.map(({ name }) => name)
})

/** Both, every half minute, for as long as the scope is open. A round that fails is logged, and the next one tries again. */
export const keepUp = (sql: PgClient.PgClient) =>
  Effect.andThen(checkpointIfDue(sql, checkpointBytes), vacuumWhatIsDue(sql)).pipe(
    Effect.catch((error) => Effect.logWarning("The upkeep of the embedded database failed.", error)),
    Effect.delay(everySeconds * 1000),
    Effect.repeat(Schedule.forever),
    Effect.forkScoped
  )
