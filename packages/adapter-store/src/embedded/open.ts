import type { PgClient } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import type { Reactivity } from "effect/reactivity/Reactivity"
import { makeClient } from "../postgres.ts"
import { ensureCreated } from "./creation.ts"
import { lockDirectory } from "./directory-lock.ts"
import { Engine } from "./engine.ts"
import { Hub } from "./hub.ts"
import { EmbeddedUnavailable } from "./unavailable.ts"
import { keepUp } from "./upkeep.ts"

export interface EmbeddedOptions {
  /** Where the database lives. It is made if it does not exist. */
  readonly directory: string
  /** How long to wait for another process to let go of the directory (0). */
  readonly lockWaitMillis?: number
  /** How many connections share the database (8). Every `listen` holds one for as long as its scope is open. */
  readonly maxConnections?: number
  /** How long opening may take (120 000), which includes recovering from a kill: some 2000 syncs and the log since the last checkpoint. */
  readonly openMillis?: number
  /** How long a cancelled statement may go on before the database is started anew (3000). */
  readonly cancelGraceMillis?: number
  /** How long a transaction may do nothing while others wait for it (30 000). */
  readonly idleTransactionMillis?: number
  /** How long closing waits for what still runs (5000). */
  readonly drainMillis?: number
}

export interface OpenDatabase {
  readonly client: PgClient.PgClient
  readonly hub: Hub
}

/** Locks the directory, makes the database if there is none, opens it, and keeps it up, until the scope closes. */
export const openEmbedded = Effect.fnUntraced(function*(
  options: EmbeddedOptions
): Effect.fn.Return<OpenDatabase, EmbeddedUnavailable, Scope.Scope | Reactivity> {
  const { directory } = options
  yield* lockDirectory({ directory, waitMillis: options.lockWaitMillis ?? 0 })
  const data = yield* ensureCreated(directory)
  const hub = yield* openHub(data, options)
  const client = yield* makeClient({
    stream: () => hub.connect(),
    username: "postgres",
    database: "postgres",
    maxConnections: options.maxConnections ?? 8
  }, { first: closeHub(hub, options), withinMillis: options.drainMillis ?? 5000 }).pipe(Effect.mapError((error) => failed(directory, error)))
  yield* keepUp(client)
  return { client, hub }
})

const openHub = (data: string, options: EmbeddedOptions) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const hub = new Hub({
          start: (onExit) => Engine.start(data, options.openMillis ?? 120_000, onExit),
          cancelGraceMillis: options.cancelGraceMillis ?? 3000,
          idleTransactionMillis: options.idleTransactionMillis ?? 30_000
        })
        await hub.start()
        return hub
      },
      catch: (cause) => failed(options.directory, cause)
    }),
    (hub) => closeHub(hub, options)
  )

const closeHub = (hub: Hub, options: EmbeddedOptions) => Effect.promise(() => hub.close(options.drainMillis ?? 5000))

const failed = (directory: string, cause: unknown) =>
  new EmbeddedUnavailable({
    reason: "failed",
    directory,
    message: `The embedded database in ${directory} could not be opened: ${cause instanceof Error ? cause.message : String(cause)}`,
    hint: "If it is damaged, move the directory away and start with a backup or an empty one."
  })
