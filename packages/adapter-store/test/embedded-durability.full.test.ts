import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue, Scope } from "effect"
import { PGlite } from "@electric-sql/pglite"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { DurableFileSystem } from "../src/embedded/durable-file-system.ts"
import { startParams } from "../src/embedded/start-parameters.ts"
import { checkpointIfDue, vacuumWhatIsDue } from "../src/embedded/upkeep.ts"
import { killRound } from "./kill-round.ts"
import { elapsed, open } from "./open-embedded.ts"
import { startChild } from "./start-child.ts"
import { databaseDirectory } from "./temporary-directory.ts"

describe("what is committed", () => {
  it.live("is synced to the disk once for each commit, and not for what only reads or is undone", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client: sql, hub } = yield* open({ directory: yield* databaseDirectory })
      const syncs = <E>(work: Effect.Effect<unknown, E>) =>
        Effect.gen(function*() {
          const before = hub.syncs
          yield* work
          return hub.syncs - before
        })
      const insert = sql`INSERT INTO synced VALUES (1)`
      yield* sql`CREATE TABLE synced (id int)`
      yield* insert
      assert.strictEqual(yield* syncs(insert), 1)
      assert.strictEqual(yield* syncs(Effect.all(Array.from({ length: 20 }, () => insert))), 20)
      assert.strictEqual(yield* syncs(sql.withTransaction(Effect.andThen(insert, insert))), 1)
      assert.strictEqual(yield* syncs(sql`SELECT count(*) FROM synced`), 0)
      assert.strictEqual(yield* syncs(Effect.ignore(sql.withTransaction(Effect.andThen(insert, Effect.fail("no"))))), 0)
    })))

  // The count above is of a call of ours. This one is of what Node asks the kernel for, in this thread to be seen.
  it.live("is synced by the kernel", () =>
    Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const files = new DurableFileSystem(join(directory, "data"), { onSync: () => {}, isCancelled: () => false })
      const database = yield* Effect.promise(() => PGlite.create({ fs: files, startParams }))
      const real = fs.fsyncSync
      const synced: Array<number> = []
      fs.fsyncSync = (descriptor) => {
        real(descriptor)
        synced.push(descriptor)
      }
      syncBuiltinESMExports()
      yield* Effect.promise(async () => {
        await database.query("CREATE TABLE synced (id int)")
        synced.length = 0
        for (let id = 0; id < 10; id++) await database.query("INSERT INTO synced VALUES ($1)", [id])
      }).pipe(Effect.ensuring(Effect.promise(() => {
        fs.fsyncSync = real
        syncBuiltinESMExports()
        return database.close()
      })))
      assert.strictEqual(synced.length, 10)
    }))

  it.live("is there after a kill, however often", () =>
    Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const rounds = yield* Effect.forEach([20, 130, 400], (millis) => killRound(directory, { afterFirst: millis }))
      assert.isTrue(rounds.every(({ acknowledged }) => acknowledged > 0))
      assert.deepStrictEqual(rounds.flatMap(({ lost }) => lost), [])
    }), 60_000)
})

describe("upkeep", () => {
  it.live("keeps the log short and takes away dead rows, which PGlite does not do by itself", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client: sql } = yield* open({ directory: yield* databaseDirectory })
      yield* sql`CREATE TABLE kept_up (id int, filler text)`
      yield* sql`INSERT INTO kept_up SELECT n, repeat('x', 200) FROM generate_series(1, 20000) n`
      yield* sql`UPDATE kept_up SET filler = filler || 'y'`
      assert.isFalse(yield* checkpointIfDue(sql, 1024 * 1024 * 1024))
      assert.isTrue(yield* checkpointIfDue(sql, 1024 * 1024))
      assert.isFalse(yield* checkpointIfDue(sql, 1024 * 1024), "there is nothing new")
      // Statistics are otherwise up to a second old.
      yield* sql`SELECT pg_stat_force_next_flush()`
      assert.include(yield* vacuumWhatIsDue(sql), "public.kept_up")
      assert.notInclude(yield* vacuumWhatIsDue(sql), "public.kept_up")
      const [table] = yield* sql`SELECT n_dead_tup AS dead, reltuples::int AS known FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid`
      assert.deepStrictEqual(table, { dead: 0, known: 20000 })
    })))
})

describe("closing", () => {
  it.live("ends what runs in bounded time, and gives the directory back in order", () =>
    Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const scope = yield* Scope.make()
      const { client: sql } = yield* Scope.provide(open({ directory, drainMillis: 500 }), scope)
      yield* sql`CREATE TABLE closed (id int)`
      const running = yield* Effect.forkChild(Effect.exit(sql`SELECT pg_sleep(20)`))
      const waiting = yield* Effect.forkChild(Effect.exit(sql`INSERT INTO closed VALUES (1)`))
      yield* Effect.sleep(100)
      const { millis } = yield* elapsed(Scope.close(scope, Exit.void))
      assert.isBelow(millis, 4000)
      for (const fiber of [running, waiting]) {
        const { exit, millis } = yield* elapsed(Fiber.join(fiber))
        assert.isBelow(millis, 1000)
        assert.isTrue(Exit.isSuccess(exit) && Exit.isFailure(exit.value))
      }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sql`SELECT 1`)), "a closed client fails")
      yield* Effect.scoped(Effect.gen(function*() {
        const { client: sql } = yield* open({ directory })
        assert.deepStrictEqual(yield* sql`SELECT count(*) AS n FROM closed`, [{ n: 0 }])
      }))
    }))

  it.live("ends who listens, and does not wait for one that holds on", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const listenTo = (drainMillis: number, holdOn: boolean) =>
        Effect.gen(function*() {
          const scope = yield* Scope.make()
          const { client: sql } = yield* Scope.provide(open({ directory, drainMillis }), scope)
          const listens = Effect.flatMap(sql.listen("channel"), Queue.take)
          const listener = yield* Effect.forkChild(Effect.exit(holdOn ? listens : Effect.scoped(listens)))
          yield* sql`SELECT 1`
          const { millis } = yield* elapsed(Scope.close(scope, Exit.void))
          assert.isBelow(millis, 4000)
          assert.isTrue(Exit.isFailure(yield* Fiber.join(listener)))
        })
      yield* listenTo(10_000, false)
      yield* listenTo(300, true)
    })))

  it.live("shuts the database down, so that the next start has nothing to recover, and lets the process end", () =>
    Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const child = startChild("commit", directory)
      yield* Effect.promise(() => child.said(/^end$/))
      const { millis } = yield* elapsed(Effect.promise(() => child.ended))
      assert.isBelow(millis, 2000)
      assert.strictEqual(child.process.exitCode, 0)
      const stateOffset = 16
      const shutDown = 1
      const control = fs.readFileSync(join(directory, "data", "global", "pg_control"))
      assert.strictEqual(control.readInt32LE(stateOffset), shutDown)
    }))
})
