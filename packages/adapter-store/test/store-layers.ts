import { Effect, Layer, Redacted } from "effect"
import { embeddedLayer, migrate, postgresLayer, storeLayer } from "../src/index.ts"
import { migratedDatabase } from "./replica.ts"
import { databaseDirectory } from "./temporary-directory.ts"

/** Every store on a new database of a PostgreSQL server. */
export const onPostgres = Layer.unwrap(
  Effect.map(migratedDatabase, (url) => Layer.provide(storeLayer, postgresLayer({ url: Redacted.make(url) })))
)

/** Every store on a new embedded database. */
export const onEmbedded = Layer.unwrap(
  Effect.map(databaseDirectory, (directory) =>
    storeLayer.pipe(Layer.provide(Layer.effectDiscard(migrate)), Layer.provide(embeddedLayer({ directory }))))
)
