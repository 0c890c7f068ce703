import { PgConnection } from "@effect/sql-pg"
import { startPostgres } from "@coppice/testkit/postgres"
import { freshDatabase, describePostgres } from "@coppice/testkit/postgres/vitest"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { vi } from "vitest"

const query = (url: string, sql: string) =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ url: Redacted.make(url) }), (connection) => connection.query(sql))
  ).pipe(Effect.map(({ rows }) => rows))

const dataDirectory = (url: string) =>
  Effect.map(query(url, "SHOW data_directory"), ([row]) => String(row?.["data_directory"]))

describePostgres("startPostgres", () => {
  it.live("keeps what was acknowledged, over a kill -9 and over a clean stop, at the same address", () =>
    Effect.gen(function*() {
      const server = yield* startPostgres()
      const url = yield* server.createDatabase("notes")
      yield* query(url, "CREATE TABLE note (text text)")
      for (const [end, count] of [[server.kill9, 1], [server.stop, 2]] as const) {
        yield* query(url, "INSERT INTO note VALUES ('written')")
        yield* end
        yield* Effect.flip(query(url, "SELECT 1"))
        yield* server.restart
        expect(yield* query(url, "SELECT * FROM note")).toHaveLength(count)
      }
    }))

  it.live("is PostgreSQL 18, waits for the disk, and asks for a password", () =>
    Effect.gen(function*() {
      const { url } = yield* startPostgres()
      const [row] = yield* query(url, "SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync")
      expect(row).toEqual({ version: expect.stringMatching(/^18\./), fsync: "on" })
      yield* Effect.flip(query(url.replace(/:[^:@]*@/, ":wrong@"), "SELECT 1"))
    }))

  it.live("kills its busy sessions too", () =>
    Effect.gen(function*() {
      const server = yield* startPostgres()
      const busy = yield* Effect.forkChild(Effect.flip(query(server.url, "SELECT count(*) FROM generate_series(1, 1e12)")))
      yield* Effect.sleep("300 millis")
      yield* server.kill9
      yield* server.restart
      expect(yield* query(server.url, "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT count%'")).toEqual([])
      expect(busy.pollUnsafe()).toBeDefined()
    }))

  it.live("copies a template", () =>
    Effect.gen(function*() {
      const server = yield* startPostgres()
      const template = yield* server.createDatabase(`a "template"`)
      yield* query(template, "CREATE TABLE seeded AS SELECT 1 AS one")
      const copy = yield* server.createDatabase("copy", `a "template"`)
      expect(yield* query(copy, "SELECT one FROM seeded")).toEqual([{ one: 1 }])
    }))

  it.live("ends with its scope and leaves nothing behind", () =>
    Effect.gen(function*() {
      const [url, data] = yield* Effect.scoped(
        Effect.gen(function*() {
          const { url } = yield* startPostgres()
          return [url, yield* dataDirectory(url)] as const
        })
      )
      yield* Effect.flip(query(url, "SELECT 1"))
      expect(existsSync(dirname(data))).toBe(false)
    }))

  it.live("ends with a process that is killed", () =>
    Effect.gen(function*() {
      const program = fileURLToPath(new URL("./hold-postgres.ts", import.meta.url))
      const holder = spawn(process.execPath, ["--conditions=development", program], { stdio: ["ignore", "pipe", "inherit"] })
      const [line] = yield* Effect.promise(() => once(holder.stdout, "data"))
      const url = String(line).trim()
      const data = yield* dataDirectory(url)
      holder.kill("SIGKILL")
      yield* Effect.promise(() => vi.waitUntil(() => !existsSync(dirname(data)), { timeout: 10_000 }))
      yield* Effect.flip(query(url, "SELECT 1"))
    }))
})

describePostgres("freshDatabase", () => {
  it.live("is another one each time, on one server", () =>
    Effect.gen(function*() {
      const [one, two] = yield* Effect.all([freshDatabase, freshDatabase], { concurrency: 2 })
      yield* query(one, "CREATE TABLE mine (id int)")
      expect(yield* query(two, "SELECT * FROM pg_tables WHERE tablename = 'mine'")).toEqual([])
      expect(new URL(one).host).toBe(new URL(two).host)
    }))
})
