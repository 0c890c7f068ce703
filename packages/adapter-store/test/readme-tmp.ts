import { embeddedLayer, migrate, storeLayer } from "../src/index.ts"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const database = embeddedLayer({ directory: mkdtempSync(join(tmpdir(), "coppice-")) })
const stores = storeLayer.pipe(
  Layer.provide(Layer.effectDiscard(migrate)),
  Layer.provide(database)
)

const program = Effect.gen(function*() {
  const organizations = yield* OrganizationStore
  console.log(yield* organizations.organizations()) // []
})

await Effect.runPromise(Effect.provide(program, stores))
