import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { killRound } from "./kill-round.ts"
import { databaseDirectory } from "./temporary-directory.ts"

it.live("no acknowledged row is lost over forty kills, in the middle of writing, checkpoints, opening and recovery", () =>
  Effect.gen(function*() {
    const directory = yield* databaseDirectory
    let acknowledged = 0
    for (let round = 0; round < 40; round++) {
      const millis = Math.round(Math.random() * 800)
      const result = yield* killRound(directory, round % 2 === 0 ? { afterFirst: millis } : { afterStart: millis * 2 })
      assert.deepStrictEqual(result.lost, [], `round ${round}, after ${millis} ms`)
      acknowledged += result.acknowledged
    }
    assert.isAbove(acknowledged, 100)
  }))
