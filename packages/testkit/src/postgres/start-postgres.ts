import { Effect } from "effect"
import type { Scope } from "effect"
import { createCluster } from "./cluster.ts"
import { createDatabase } from "./database.ts"
import { PostgresUnavailable } from "./unavailable.ts"

export interface PostgresServer {
  /** Of the database `postgres`, as its superuser. The address stays the same over a restart. */
  readonly url: string
  /** Makes a database (a copy of `template`, if given, to which nobody may be connected) and returns its address. */
  readonly createDatabase: (name: string, template?: string) => Effect.Effect<string>
  /** A clean end: sessions are closed, everything is on disk. */
  readonly stop: Effect.Effect<void>
  /** Every process of the server dies at once, without a last word. */
  readonly kill9: Effect.Effect<void>
  /** Starts again, on the same data, after `stop` or `kill9`; does nothing to a running server. */
  readonly restart: Effect.Effect<void>
}

export interface PostgresOptions {
  /** Settings of postgresql.conf. By default commits are on disk before they are acknowledged, as in production. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * A real PostgreSQL server of its own, on a free port of the loopback address, with a password that only this process
 * knows. It ends, and its data are removed, with the scope, and also when this process is killed.
 */
export const startPostgres = (
  options: PostgresOptions = {}
): Effect.Effect<PostgresServer, PostgresUnavailable, Scope.Scope> =>
  Effect.gen(function*() {
    const cluster = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => createCluster(options.settings ?? {}),
        catch: (error) => error
      }).pipe(Effect.catch((error) => error instanceof PostgresUnavailable ? Effect.fail(error) : Effect.die(error))),
      (cluster) => Effect.promise(cluster.remove)
    )
    const restart = Effect.promise(cluster.start)
    yield* restart
    const url = `postgres://postgres:${cluster.password}@127.0.0.1:${cluster.port}/postgres`
    return {
      url,
      createDatabase: (name, template) => createDatabase(url, name, template),
      stop: Effect.promise(cluster.stop),
      kill9: Effect.promise(cluster.kill9),
      restart
    }
  })
