import { assert, it, layer as withLayer } from "@effect/vitest"
import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { createServer } from "node:net"
import { postgresLayer } from "../src/postgres.ts"
import { clientBehaviour } from "./client-behaviour.ts"
import { elapsed } from "./open-embedded.ts"

const server = (options?: { readonly statementTimeoutMillis: number }) =>
  Layer.unwrap(Effect.map(freshDatabase, (url) => postgresLayer({ ...options, url: Redacted.make(url) })))

describePostgres("a PostgreSQL server", () => {
  clientBehaviour("as a client", server())

  withLayer(server({ statementTimeoutMillis: 200 }), { excludeTestServices: true })("its sessions", (it) => {
    it.effect("have our name, speak UTC, and end what takes too long", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const [settings] = yield* sql`SELECT current_setting('application_name') AS name, current_setting('TimeZone') AS zone`
        assert.deepStrictEqual(settings, { name: "coppice", zone: "UTC" })
        const error = yield* Effect.flip(sql`SELECT pg_sleep(5)`)
        assert.strictEqual(error.reason._tag, "StatementTimeoutError")
      }))
  })

  it.live("says why it cannot be used, without the password", () =>
    Effect.gen(function*() {
      const url = new URL(yield* freshDatabase)
      const refusal = (change: (url: URL) => void) => {
        const changed = new URL(url)
        changed.password = "hunter2"
        change(changed)
        return refusalOf(changed.href)
      }
      const withPassword = (changed: URL) => void (changed.password = url.password)
      assert.match((yield* refusal((changed) => {
        withPassword(changed)
        changed.pathname = "/not_there"
      })).message, /database "not_there" does not exist/)
      assert.match((yield* refusal((changed) => void (changed.port = "1"))).message, /ECONNREFUSED/)
      const wrong = yield* refusalOf("postgres//hunter2@")
      assert.match(wrong.message, /Invalid/)
      assert.notInclude(JSON.stringify(wrong), "hunter2")
      assert.include(wrong.hint, "DATABASE_URL")
    }))
})

const refusalOf = (url: string) => Effect.flip(Effect.scoped(Layer.build(postgresLayer({ url: Redacted.make(url) }))))

it.live("gives up an address where nobody answers", () =>
  Effect.scoped(Effect.gen(function*() {
    const silent = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(() => {}).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
    const { port } = silent.address() as { port: number }
    const url = Redacted.make(`postgres://somebody@127.0.0.1:${port}/x`)
    const { exit, millis } = yield* elapsed(Layer.build(postgresLayer({ url, connectTimeoutMillis: 300 })))
    assert.strictEqual(exit._tag, "Failure")
    assert.isBelow(millis, 2000)
    const error = yield* Effect.flip(Layer.build(postgresLayer({ url, connectTimeoutMillis: 300 })))
    assert.match(error.message, /timed out/)
  })))
