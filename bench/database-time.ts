// How much processor time the connections of a database have used, where the system says it.
import { postgresLayer } from "@coppice/adapter-store"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { readFileSync } from "node:fs"

/** Linux counts in hundredths of a second, whatever the processor. */
const ticksPerSecond = 100

const secondsOf = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  } catch {
    return 0
  }
}

/** The processor seconds of each connection, but the one that asks; empty where nobody tells. */
export const databaseSeconds = (url: string): Promise<ReadonlyMap<number, number>> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const rows = yield* sql<{ readonly pid: number }>`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    return new Map(rows.map(({ pid }) => [pid, secondsOf(pid)] as const))
  }).pipe(Effect.provide(postgresLayer({ url: Redacted.make(url) })), Effect.scoped, Effect.runPromise)

export const secondsBetween = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number =>
  [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0)
