import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

const quoted = (name: string): string => `"${name.replaceAll(`"`, `""`)}"`

/** Runs one statement on a connection of its own; databases are made and dropped outside of transactions. */
const runOn = (url: string, sql: string): Effect.Effect<void> =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ url: Redacted.make(url) }), (connection) => connection.query(sql))
  ).pipe(Effect.orDie, Effect.asVoid)

/** The address of another database on the same server. */
export const databaseUrl = (url: string, name: string): string => {
  const other = new URL(url)
  other.pathname = `/${encodeURIComponent(name)}`
  return other.href
}

export const createDatabase = (url: string, name: string, template?: string): Effect.Effect<string> =>
  Effect.as(
    runOn(url, `CREATE DATABASE ${quoted(name)}${template === undefined ? "" : ` TEMPLATE ${quoted(template)}`}`),
    databaseUrl(url, name)
  )

export const dropDatabase = (url: string, name: string): Effect.Effect<void> =>
  runOn(url, `DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`)
