import { PgClient } from "@effect/sql-pg"
import { Effect, type Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type EmbeddedOptions, openEmbedded } from "./embedded/open.ts"
import type { EmbeddedUnavailable } from "./embedded/unavailable.ts"

export type { EmbeddedOptions } from "./embedded/open.ts"
export { EmbeddedUnavailable } from "./embedded/unavailable.ts"

/**
 * `PgClient` and `SqlClient` over PGlite, PostgreSQL compiled to WebAssembly, in a thread of this process. What is
 * committed is on the disk, and one process at a time has the directory. There is one session for all connections:
 * what belongs to a session on a server, as `SET`, temporary tables and session advisory locks do, belongs to everybody.
 */
export const embeddedLayer = (
  options: EmbeddedOptions
): Layer.Layer<PgClient.PgClient | SqlClient, EmbeddedUnavailable> =>
  PgClient.layerFrom(Effect.map(openEmbedded(options), ({ client }) => client))
