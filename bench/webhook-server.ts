// The service's own HTTP application on PostgreSQL, composed as a server does it, but with its webhook limit lifted and
// without a worker: what is measured is how fast webhooks become durable runs.
import { createHttpApp, passwordHasherLayer, serveHttp } from "@coppice/adapter-http"
import { postgresLayer, storeLayer } from "@coppice/adapter-store"
import { MachineId } from "@coppice/core"
import { WebhookInbox } from "@coppice/core/ports"
import { fakeHostLayer } from "@coppice/testkit/fake"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

const lifted = Layer.effect(
  WebhookInbox,
  Effect.map(WebhookInbox, (inbox) =>
    WebhookInbox.of({
      receive: (delivery) =>
        inbox.receive(delivery.limit === undefined ? delivery : { ...delivery, limit: { ...delivery.limit, max: 1e9 } })
    }))
)

const url = Redacted.make(process.env["BENCH_DATABASE_URL"]!)
const stores = storeLayer.pipe(Layer.provideMerge(postgresLayer({ url })))
const runtime = ManagedRuntime.make(
  Layer.mergeAll(
    Layer.provideMerge(lifted, stores),
    fakeHostLayer({ machineId: MachineId.make("0199a000-0000-7000-8000-00000000c0de") }),
    passwordHasherLayer,
    SecureRandom.layerWebCrypto
  )
)
const app = createHttpApp({ context: await runtime.context(), tools: [], version: "0.0.0" })
const server = await serveHttp(app, { host: "127.0.0.1", port: 0 })
console.log(JSON.stringify({ url: server.url }))
process.once("SIGTERM", () => server.close().then(() => runtime.dispose()).finally(() => process.exit(0)))
