import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { elapsed, open } from "./open-embedded.ts"
import { type Child, startChild } from "./start-child.ts"
import { databaseDirectory, temporaryDirectory } from "./temporary-directory.ts"

const child = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => startChild("hold", directory)),
    (started) => Effect.promise(started.kill)
  )

const said = (started: Child, line: RegExp) => Effect.promise(() => started.said(line))

describe("the directory", () => {
  it.live("is refused while another process has it, which is named, and free once that is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const holder = yield* child(directory)
      yield* said(holder, /open/)
      const refused = yield* Effect.flip(Effect.scoped(open({ directory })))
      assert.strictEqual(refused.reason, "locked")
      assert.include(refused.message, `process ${holder.process.pid}`)
      assert.include(refused.hint, "COPPICE_HOME")
      yield* Effect.promise(holder.kill)
      assert.isTrue(existsSync(join(directory, "owner.json")), "the killed owner could not tidy up")
      const { client: sql } = yield* open({ directory })
      assert.deepStrictEqual(yield* sql`SELECT 1 AS n`, [{ n: 1 }])
    })))

  it.live("is refused to the same process a second time, and the first goes on", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const { client: sql } = yield* open({ directory })
      const refused = yield* Effect.flip(Effect.scoped(open({ directory })))
      assert.include(refused.message, "this very process")
      assert.deepStrictEqual(yield* sql`SELECT 1 AS n`, [{ n: 1 }])
      const stillRefused = yield* child(directory)
      yield* said(stillRefused, /^refused: .*in use by process/)
    })))

  it.live("goes to exactly one of several that start at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const children = yield* Effect.all(Array.from({ length: 4 }, () => child(directory)))
      yield* Effect.all(children.map((one) => said(one, /open|refused/)), { concurrency: "unbounded" })
      assert.strictEqual(children.filter(({ lines }) => lines.includes("open")).length, 1)
    })))

  it.live("is waited for, if that is asked for", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* databaseDirectory
      const first = yield* Scope.make()
      yield* Scope.provide(open({ directory }), first)
      yield* Effect.forkChild(Effect.andThen(Effect.sleep(400), Scope.close(first, Exit.void)))
      const { exit } = yield* elapsed(Effect.scoped(open({ directory, lockWaitMillis: 10_000 })))
      assert.isTrue(Exit.isSuccess(exit))
    })))

  it.live("is said to be unusable where it cannot be made", () =>
    Effect.gen(function*() {
      const file = join(temporaryDirectory(), "file")
      writeFileSync(file, "")
      const refused = yield* Effect.flip(Effect.scoped(open({ directory: join(file, "database") })))
      assert.strictEqual(refused.reason, "failed")
      assert.include(refused.message, file)
    }))

  it.live("is refused when another version of PostgreSQL wrote it", () =>
    Effect.gen(function*() {
      const directory = yield* databaseDirectory
      writeFileSync(join(directory, "data", "PG_VERSION"), "17\n")
      const refused = yield* Effect.flip(Effect.scoped(open({ directory })))
      assert.strictEqual(refused.reason, "incompatible")
      assert.match(refused.message, /PostgreSQL 17.*18/)
    }))
})

describe("the first start", () => {
  it.live("leaves nothing to trip over when it is killed half-way", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = temporaryDirectory()
      const killed = yield* child(directory)
      while (!readdirSync(directory).some((name) => name.startsWith("creating-"))) yield* Effect.sleep(20)
      yield* Effect.sleep(1200)
      yield* Effect.promise(killed.kill)
      assert.isFalse(existsSync(join(directory, "data")), "it was half-way")
      // What an older attempt of another process might have left.
      mkdirSync(join(directory, "creating-1-1", "base"), { recursive: true })
      const { client: sql } = yield* open({ directory })
      yield* sql`CREATE TABLE works (id int)`
      assert.sameMembers(readdirSync(directory), ["data", "lock", "owner.json"])
      assert.strictEqual(JSON.parse(readFileSync(join(directory, "owner.json"), "utf8")).pid, process.pid)
    })), 60_000)
})
