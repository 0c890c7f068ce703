// One PostgreSQL server for a whole run of vitest, started by the first test file that asks for a database. Name this file
// in `globalSetup`; tests use `postgres/vitest`.
import { Cause, Effect, Exit, Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { once } from "node:events"
import type { TestProject } from "vitest/node"
import { findNative, notInstalled } from "./binaries.ts"
import { createDatabase, dropDatabase } from "./database.ts"
import { startPostgres } from "./start-postgres.ts"
import type {} from "./vitest.ts"

// These databases are thrown away with the run, so nothing is lost by not waiting for the disk.
const settings = { fsync: "off", full_page_writes: "off" }

/** The server that COPPICE_TEST_DATABASE_URL names, or one of our own. */
const serverUrl = (external: string | undefined) =>
  external === undefined ? Effect.map(startPostgres({ settings }), ({ url }) => url) : Effect.succeed(external)

const databases = Effect.fnUntraced(function*(external: string | undefined) {
  const scope = yield* Effect.scope
  const url = yield* Effect.cached(Scope.provide(serverUrl(external), scope))
  return Effect.gen(function*() {
    const server = yield* url
    const name = `coppice_test_${crypto.randomUUID().replaceAll("-", "")}`
    const database = yield* createDatabase(server, name)
    if (external !== undefined) yield* Scope.addFinalizer(scope, dropDatabase(server, name))
    return database
  })
})

export default async ({ provide }: TestProject) => {
  const external = process.env.COPPICE_TEST_DATABASE_URL || undefined
  if (external === undefined && findNative() === undefined) {
    process.stderr.write(`\nPostgreSQL is not available (${notInstalled}): the tests that need it are skipped.\n\n`)
    provide("coppicePostgres", { unavailable: notInstalled })
    return
  }
  const scope = Scope.makeUnsafe()
  const newDatabase = await Effect.runPromise(Scope.provide(databases(external), scope))
  const directory = await mkdtemp(join(tmpdir(), "coppice-vitest-"))
  const socket = join(directory, "s")
  // A client connects, and reads the address of a new database or the reason why there is none.
  const broker = createServer((client) => {
    client.on("error", () => {})
    void Effect.runPromiseExit(newDatabase).then((exit) => {
      client.end(JSON.stringify(Exit.isSuccess(exit) ? { url: exit.value } : { failure: Cause.pretty(exit.cause) }))
    })
  }).listen(socket)
  await once(broker, "listening")
  provide("coppicePostgres", { socket })

  return async () => {
    broker.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(directory, { recursive: true, force: true })
  }
}
