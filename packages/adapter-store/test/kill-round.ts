import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { open } from "./open-embedded.ts"
import { startChild } from "./start-child.ts"

/**
 * Starts a process that writes, kills it, and looks for what it had said was committed. The kill comes so many
 * milliseconds after its first acknowledged row, or after its start, when it may be anywhere in opening or recovering.
 */
export const killRound = Effect.fnUntraced(function*(
  directory: string,
  when: { readonly afterFirst: number } | { readonly afterStart: number }
) {
  const writer = startChild("write", directory)
  if ("afterFirst" in when) yield* Effect.promise(() => writer.said(/^\d+$/))
  yield* Effect.sleep("afterFirst" in when ? when.afterFirst : when.afterStart)
  yield* Effect.promise(writer.kill)
  const acknowledged = writer.lines.filter((line) => /^\d+$/.test(line)).map(Number)
  return yield* Effect.scoped(Effect.gen(function*() {
    const { client: sql } = yield* open({ directory })
    yield* sql`CREATE TABLE IF NOT EXISTS acknowledged (id int PRIMARY KEY, filler text)`
    const rows = yield* sql<{ id: number; size: number }>`SELECT id, length(filler) AS size FROM acknowledged`
    assert.isTrue(rows.every(({ size }) => size === 2000), "a row is whole or not there")
    const [byIndex] = yield* sql.withTransaction(Effect.andThen(
      sql`SET LOCAL enable_seqscan = off`,
      sql<{ n: number }>`SELECT count(*) AS n FROM acknowledged WHERE id > 0`
    ))
    assert.strictEqual(byIndex?.n, rows.length, "table and index agree")
    const found = new Set(rows.map(({ id }) => id))
    return { acknowledged: acknowledged.length, lost: acknowledged.filter((id) => !found.has(id)) }
  }))
})
