// The service's own HTTP application on PostgreSQL, composed as a server does it, with its limit so high that it lets
// everything pass after counting it. Nothing runs on its host.
import { createHttpApp, passwordHasherLayer, serveHttp } from "@coppice/adapter-http"
import { postgresLayer, storeLayer } from "@coppice/adapter-store"
import { MachineId, serviceInstructions, toolCatalog } from "@coppice/core"
import { ApiKeyStore, OAuthTokenStore } from "@coppice/core/ports"
import { fakeHostLayer } from "@coppice/testkit/fake"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

const max = 1e9
const lifted = Layer.mergeAll(
  Layer.effect(
    ApiKeyStore,
    Effect.map(ApiKeyStore, (keys) =>
      ApiKeyStore.of({ ...keys, authenticate: (hash, limit, hits) => keys.authenticate(hash, { ...limit, max }, hits) }))
  ),
  Layer.effect(
    OAuthTokenStore,
    Effect.map(OAuthTokenStore, (tokens) =>
      OAuthTokenStore.of({ ...tokens, authenticate: (hash, limit, hits) => tokens.authenticate(hash, { ...limit, max }, hits) }))
  )
)

const url = Redacted.make(process.env["BENCH_DATABASE_URL"]!)
const stores = storeLayer.pipe(Layer.provideMerge(postgresLayer({ url })))
const host = fakeHostLayer({ machineId: MachineId.make("0198c5a0-0000-7000-8000-000000000001") })
const runtime = ManagedRuntime.make(
  Layer.mergeAll(Layer.provideMerge(lifted, stores), host, passwordHasherLayer, SecureRandom.layerWebCrypto)
)
const app = createHttpApp({
  context: await runtime.context(),
  tools: toolCatalog,
  instructions: serviceInstructions,
  version: "0.0.0",
  trustedProxies: ["127.0.0.1"]
})
const server = await serveHttp(app, { host: "127.0.0.1", port: 0 })
console.log(JSON.stringify({ url: server.url }))
process.once("SIGTERM", () => server.close({ graceMillis: 0 }).then(() => runtime.dispose()).finally(() => process.exit(0)))
