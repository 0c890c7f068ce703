import { postgresLayer } from "@coppice/adapter-store"
import { startPostgres } from "@coppice/testkit/postgres"
import { Effect, Exit, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/** A PostgreSQL server of a test's own, which can be killed. What it has acknowledged is on the disk. */
export const postgresForTest = async () => {
  const scope = Scope.makeUnsafe()
  const server = await Effect.runPromise(Scope.provide(startPostgres(), scope))
  return {
    databaseUrl: server.url,
    kill: () => Effect.runPromise(server.kill9),
    restart: () => Effect.runPromise(server.restart),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Asks a database directly, whatever the service says of it. */
export const ask = <Row extends object>(databaseUrl: string, statement: string): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(
    Effect.flatMap(SqlClient, (sql) => sql.unsafe<Row>(statement)).pipe(
      Effect.provide(postgresLayer({ url: Redacted.make(databaseUrl), maxConnections: 1 }))
    )
  )
