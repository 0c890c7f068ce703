import { type IdempotentCall, newId, now, OrganizationId, UserId } from "@coppice/core"
import { IdempotencyStore } from "@coppice/core/ports"
import { it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, type Scope } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { assert, describe } from "vitest"
import { jsonLinesIdempotencyStore } from "../src/index.ts"
import { temporaryFile } from "./temporary-file.ts"

// What the contract cannot know: this store has a file, which outlives it. Each call opens it anew, as a restart does.
const store = <A>(file: string, use: (store: IdempotencyStore["Service"]) => Effect.Effect<A>) =>
  IdempotencyStore.use(use).pipe(Effect.provide(jsonLinesIdempotencyStore(file), { local: true }))

const setting = Effect.gen(function*() {
  const call: IdempotentCall = {
    organizationId: yield* newId(OrganizationId),
    userId: yield* newId(UserId),
    key: "key",
    fingerprint: "one"
  }
  const at = yield* now
  return { at, call, expiresAt: DateTime.add(at, { hours: 24 }) }
})

const linesOf = (file: string) => readFileSync(file, "utf8").split("\n").length - 1

const test = (title: string, run: (file: string) => Effect.Effect<void, unknown, Scope.Scope | Effect.Services<typeof setting>>) => {
  const file = temporaryFile()
  it.effect(title, () => Effect.provide(run(file), layerWebCrypto))
}

describe("a file of JSON lines", () => {
  test("says after a restart what it said before", (file) =>
    Effect.gen(function*() {
      const { at, call, expiresAt } = yield* setting
      const freed = { ...call, key: "freed" }
      yield* store(file, (keys) => keys.begin(call, at, expiresAt))
      assert.deepStrictEqual(yield* store(file, (keys) => keys.begin(call, at, expiresAt)), { _tag: "pending" })
      yield* store(file, (keys) => keys.complete(call, "first"))
      assert.deepStrictEqual(yield* store(file, (keys) => keys.begin(call, at, expiresAt)), { _tag: "done", result: "first" })
      yield* store(file, (keys) => Effect.andThen(keys.begin(freed, at, expiresAt), keys.abandon(freed)))
      assert.deepStrictEqual(yield* store(file, (keys) => keys.begin(freed, at, expiresAt)), { _tag: "begun" })
    }))

  test("forgets a line that a crash cut off anywhere, and writes on behind the whole ones", (file) =>
    Effect.gen(function*() {
      const { at, call, expiresAt } = yield* setting
      yield* store(file, (keys) => keys.begin(call, at, expiresAt))
      const whole = readFileSync(file).length
      yield* store(file, (keys) => keys.complete(call, "first"))
      const both = readFileSync(file)
      for (let bytes = whole; bytes < both.length; bytes += 1) {
        writeFileSync(file, both)
        truncateSync(file, bytes)
        assert.deepStrictEqual(yield* store(file, (keys) => keys.begin(call, at, expiresAt)), { _tag: "pending" })
      }
      yield* store(file, (keys) => keys.complete(call, "1"))
      assert.deepStrictEqual(yield* store(file, (keys) => keys.begin(call, at, expiresAt)), { _tag: "done", result: "1" })
    }))

  test("refuses a file that is damaged anywhere else", (file) =>
    Effect.gen(function*() {
      const { at, call, expiresAt } = yield* setting
      appendFileSync(file, "not JSON\n")
      const exit = yield* Effect.exit(store(file, (keys) => keys.begin(call, at, expiresAt)))
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isFailure(exit)) assert.include(Cause.pretty(exit.cause), "line 1: not JSON")
    }))

  test("keeps no more lines than count, twice over, and some to spare", (file) =>
    Effect.gen(function*() {
      const { at, call } = yield* setting
      yield* store(file, (keys) =>
        Effect.forEach(Array.from({ length: 1500 }, (_, minutes) => minutes), (minutes) =>
          keys.begin({ ...call, key: String(minutes) }, DateTime.add(at, { minutes }), DateTime.add(at, { minutes: minutes + 10 })),
          { discard: true }))
      assert.isBelow(linesOf(file), 1000)
      const last = DateTime.add(at, { minutes: 1499 })
      const again = (key: string) => store(file, (keys) => keys.begin({ ...call, key }, last, last))
      assert.deepStrictEqual(yield* again("1499"), { _tag: "pending" })
      assert.deepStrictEqual(yield* again("1490"), { _tag: "pending" })
      assert.deepStrictEqual(yield* again("1489"), { _tag: "begun" })
    }))
})
