// What webhooks are measured against: the same h3 server and database client, with one bare insert of the same bytes for
// each request, answered when it is committed.
import { postgresLayer } from "@coppice/adapter-store"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { H3, serve } from "h3"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** One for each connection of the load, so that no insert waits for another and the database can group their commits. */
const maxConnections = 32

const url = Redacted.make(process.env["BENCH_DATABASE_URL"]!)
const runtime = ManagedRuntime.make(Layer.mergeAll(postgresLayer({ url, maxConnections })))
const context = await runtime.context()
const sql = await runtime.runPromise(SqlClient)
await runtime.runPromise(sql`CREATE TABLE IF NOT EXISTS bench_bodies (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea NOT NULL)`)

const run = Effect.runPromiseWith(context)
const app = new H3()
app.post("/**", async (event) => {
  const body = new Uint8Array(await event.req.arrayBuffer())
  await run(sql`INSERT INTO bench_bodies (body) VALUES (${body})`)
  return { status: "stored" }
})

const server = serve(app, { hostname: "127.0.0.1", port: 0, silent: true, gracefulShutdown: false })
await server.ready()
const { port } = (server.node!.server as Server).address() as AddressInfo
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
process.once("SIGTERM", () => runtime.dispose().finally(() => process.exit(0)))
