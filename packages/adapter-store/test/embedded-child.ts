/**
 * Another process with the embedded database, for the tests that need one to refuse or to kill.
 *
 * `hold DIRECTORY` opens it and says "open"; `write DIRECTORY` also inserts one row after the other, some through
 * transactions, and says each one's number once the database has acknowledged it; `commit DIRECTORY` commits ten times
 * between saying "begin" and "end", and ends.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { writeSync } from "node:fs"
import { embeddedLayer } from "../src/embedded.ts"

export type Command = "hold" | "write" | "commit"

const [, , command, directory] = process.argv as [string, string, Command, string]

const say = (line: string | number): void => void writeSync(1, `${line}\n`)

const write = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  yield* sql`CREATE TABLE IF NOT EXISTS acknowledged (id int PRIMARY KEY, filler text)`
  const [last] = yield* sql<{ id: number }>`SELECT coalesce(max(id), 0) AS id FROM acknowledged`
  const filler = "x".repeat(2000)
  let next = last!.id + 1
  const insert = Effect.suspend(() => {
    const id = next++
    const one = sql`INSERT INTO acknowledged VALUES (${id}, ${filler})`
    return Effect.andThen(id % 3 === 0 ? sql.withTransaction(one) : one, Effect.sync(() => say(id)))
  })
  const writer = Effect.forever(insert)
  // A checkpoint now and then, so that some die in the middle of one.
  const checkpoints = Effect.forever(Effect.andThen(sql`CHECKPOINT`, Effect.sleep(30)))
  yield* Effect.all([writer, writer, writer, checkpoints], { concurrency: "unbounded" })
})

const commit = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  yield* sql`CREATE TABLE IF NOT EXISTS committed (id int)`
  yield* sql`INSERT INTO committed VALUES (0)`
  say("begin")
  for (let id = 1; id <= 10; id++) yield* sql`INSERT INTO committed VALUES (${id})`
  say("end")
})

const commands = { hold: Effect.never, write, commit }
const program = Effect.andThen(Effect.sync(() => say("open")), commands[command])

process.stdin.resume().once("end", () => process.exit(0)).unref()
await Effect.runPromise(Effect.provide(program, embeddedLayer({ directory }))).catch((error: unknown) => {
  say(`refused: ${(error as Error).message}`)
  process.exit(3)
})
