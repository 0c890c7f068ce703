import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { renameSync } from "node:fs"
import { join } from "node:path"
import type { Hub } from "../src/embedded/hub.ts"
import { elapsed, open } from "./open-embedded.ts"
import { databaseDirectory } from "./temporary-directory.ts"

const connect = (hub: Hub) => PgConnection.make({ stream: () => hub.connect(), username: "postgres" })

const rows = (connection: PgConnection.PgConnection, sql: string) =>
  Effect.map(connection.query(sql), (result) => result.rows)

/** It comes to no place where it could be told to stop. */
const computing = "DO $$ BEGIN LOOP NULL; END LOOP; END $$"

describe("one session for several connections", () => {
  it.live("undoes the transaction that a connection dies in, before anybody else's turn", () =>
    Effect.scoped(Effect.gen(function*() {
      const { hub } = yield* open({ directory: yield* databaseDirectory })
      const other = yield* connect(hub)
      yield* other.query("CREATE TABLE IF NOT EXISTS left_behind (id int)")
      const dying = yield* Scope.make()
      const connection = yield* Scope.provide(connect(hub), dying)
      yield* connection.query("BEGIN")
      yield* connection.query("INSERT INTO left_behind VALUES (1)")
      const waiting = yield* Effect.forkChild(rows(other, "SELECT id FROM left_behind"))
      yield* Effect.sleep(50)
      assert.isUndefined(waiting.pollUnsafe(), "waits for the transaction to end")
      yield* Scope.close(dying, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(waiting), [])
      assert.deepStrictEqual(yield* rows(other, "SELECT pg_current_xact_id_if_assigned() AS xid"), [{ xid: null }])
    })))

  it.live("clears the settings, the channels and the named statements of a connection that ends", () =>
    Effect.scoped(Effect.gen(function*() {
      const { hub } = yield* open({ directory: yield* databaseDirectory })
      const stays = yield* connect(hub)
      const heard = yield* Effect.scoped(Effect.gen(function*() {
        const connection = yield* connect(hub)
        yield* connection.query("SET work_mem = '7MB'")
        for (const n of [1, 2, 3]) yield* connection.query(`SELECT ${n}`)
        yield* connection.query("LISTEN only_mine")
        return yield* rows(stays, "SELECT pg_listening_channels() AS channel")
      }))
      assert.deepStrictEqual(heard, [{ channel: "only_mine" }])
      assert.deepStrictEqual(yield* rows(stays, "SELECT pg_listening_channels() AS channel"), [])
      assert.deepStrictEqual(yield* rows(stays, "SELECT current_setting('work_mem') AS mem"), [{ mem: "4MB" }])
      const prepared = yield* rows(stays, "SELECT statement FROM pg_prepared_statements ORDER BY prepare_time")
      assert.deepStrictEqual(prepared.filter(({ statement }) => /^SELECT \d$|LISTEN/.test(String(statement))), [])
    })))

  it.live("keeps a channel that others listen to, when a connection says UNLISTEN or ends", () =>
    Effect.scoped(Effect.gen(function*() {
      const { hub } = yield* open({ directory: yield* databaseDirectory })
      const speaker = yield* connect(hub)
      const listener = yield* connect(hub)
      const queue = yield* listener.listen("shared")
      for (const leave of ["UNLISTEN shared", "UNLISTEN *", "SELECT 1"]) {
        yield* Effect.scoped(Effect.gen(function*() {
          const leaving = yield* connect(hub)
          yield* leaving.query("LISTEN shared")
          yield* leaving.query(leave)
          yield* speaker.query("SELECT pg_notify('shared', $1)", [leave])
          assert.strictEqual((yield* Queue.take(queue)).payload, leave)
        }))
        yield* speaker.query("NOTIFY shared, 'after'")
        assert.strictEqual((yield* Queue.take(queue)).payload, "after")
      }
    })))

  it.live("ends a transaction that does nothing while others wait, and goes on with them", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client: sql } = yield* open({ directory: yield* databaseDirectory, idleTransactionMillis: 300 })
      // The second statement is outside of the transaction, and waits for it: without an end this would be for ever.
      const outside = yield* Deferred.make<void>()
      const helper = yield* Effect.forkChild(Effect.andThen(Deferred.await(outside), sql`SELECT 1 AS n`))
      const { exit, millis } = yield* elapsed(sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT 1`
        yield* Deferred.succeed(outside, undefined)
        yield* Fiber.join(helper)
        yield* sql`SELECT 2`
      })))
      assert.isTrue(Exit.isFailure(exit))
      assert.isBelow(millis, 2000)
      assert.deepStrictEqual(yield* Fiber.join(helper), [{ n: 1 }])
    })))

  it.live("lets a transaction be idle for as long as nobody waits", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client: sql } = yield* open({ directory: yield* databaseDirectory, idleTransactionMillis: 100 })
      const n = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT 1`
        yield* Effect.sleep(400)
        return yield* sql`SELECT 2 AS n`
      }))
      assert.deepStrictEqual(n, [{ n: 2 }])
    })))
})

describe("when something stops", () => {
  it.live("starts the database anew when a cancelled statement does not stop", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client: sql } = yield* open({ directory: yield* databaseDirectory, cancelGraceMillis: 300 })
      yield* sql`CREATE TABLE IF NOT EXISTS kept (id int)`
      yield* sql`INSERT INTO kept VALUES (1)`
      const { exit, millis } = yield* elapsed(Effect.timeout(sql.unsafe(computing), 300))
      assert.isTrue(Exit.isFailure(exit))
      assert.isBelow(millis, 4000)
      const after = yield* elapsed(sql`SELECT id FROM kept LIMIT 1`)
      assert.deepStrictEqual(after.exit, Exit.succeed([{ id: 1 }]))
      assert.isBelow(after.millis, 15_000)
    })))

  it.live("fails what runs, waits and listens when the thread ends, and serves again", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client: sql } = yield* open({ directory: yield* databaseDirectory })
      const queue = yield* sql.listen("crash")
      yield* Effect.forkChild(sql`SELECT pg_sleep(0.3)`)
      yield* Effect.sleep(50)
      // PGlite has no programs to run, and breaks where it is asked to.
      const breaking = yield* Effect.forkChild(Effect.exit(sql`COPY (SELECT 1) TO PROGRAM 'true'`))
      yield* Effect.sleep(50)
      const waiting = yield* Effect.forkChild(Effect.exit(sql`SELECT 1`))
      for (const exit of [yield* Fiber.join(breaking), yield* Fiber.join(waiting)]) {
        assert.isTrue(Exit.isFailure(exit))
        if (!Exit.isFailure(exit)) return
        const { reason } = Cause.squash(exit.cause) as SqlError
        assert.strictEqual(reason._tag, "ConnectionError")
        assert.match((reason.cause as Error).message, /The embedded database stopped/)
      }
      const heard = yield* Effect.exit(Queue.take(queue))
      assert.isTrue(Exit.isFailure(heard), "a listener learns that it has to listen again")
      assert.deepStrictEqual(yield* sql`SELECT 1 AS n`, [{ n: 1 }])
      yield* sql.listen("crash")
    })))

  it.live("fails instead of waiting while it cannot be started, and serves once it can", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const { client: sql } = yield* open({ directory })
      const control = join(directory, "data", "global", "pg_control")
      yield* sql`CHECKPOINT`
      renameSync(control, `${control}.away`)
      yield* Effect.exit(sql`COPY (SELECT 1) TO PROGRAM 'true'`)
      for (let attempt = 0; attempt < 2; attempt++) {
        const { exit, millis } = yield* elapsed(sql`SELECT 1 AS n`)
        assert.isTrue(Exit.isFailure(exit))
        assert.isBelow(millis, 4000)
      }
      renameSync(`${control}.away`, control)
      assert.deepStrictEqual(yield* sql`SELECT 1 AS n`, [{ n: 1 }])
    })))

  it.live("reports a recursion that is too deep as an error of the statement", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client: sql, hub } = yield* open({ directory: yield* databaseDirectory })
      const syncs = hub.syncs
      const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
      const error = yield* Effect.flip(sql`SELECT ${nested}::jsonb AS deep`) as Effect.Effect<SqlError>
      assert.match(String((error.reason.cause as Error).message), /stack depth limit exceeded/)
      assert.strictEqual(error.reason._tag, "UnknownError")
      assert.isAtLeast(hub.syncs, syncs, "the thread is the same")
    })))
})
