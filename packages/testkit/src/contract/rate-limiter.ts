import { ApiKeyId, hit, type Limit, newId, type Window } from "@coppice/core"
import { RateLimiter } from "@coppice/core/ports"
import { Clock, Effect, Schema } from "effect"
import { assert } from "vitest"
import { property, test, twenty } from "./check.ts"
import { pass, storeContract } from "./store-contract.ts"

/** A bucket that no other test has. */
const newBucket = Effect.map(newId(ApiKeyId), (id) => `sign-in:${id}`)

const history = Schema.Array(Schema.Struct({
  bucket: Schema.Literals([0, 1]),
  waitMillis: Schema.Literals([0, 0, 1, 400, 999, 1000, 1999, 2000, 2001, 5000])
})).check(Schema.isMaxLength(30))

export const rateLimiterContract = storeContract("RateLimiter", (capabilities) => [
  test("counts each attempt in its own bucket", Effect.gen(function*() {
    const limiter = yield* RateLimiter
    const limit: Limit = { max: 2, windowSeconds: 3600 }
    const [first, second] = [yield* newBucket, yield* newBucket]
    const ask = (bucket: string) =>
      Effect.map(limiter.hit(bucket, limit), ({ allowed, remaining }) => [allowed, remaining])
    assert.deepStrictEqual(yield* ask(first), [true, 1])
    assert.deepStrictEqual(yield* ask(first), [true, 0])
    assert.deepStrictEqual(yield* ask(second), [true, 1])
    assert.deepStrictEqual(yield* ask(first), [false, 0])
  })),
  test("takes a bucket of any name", Effect.gen(function*() {
    const limiter = yield* RateLimiter
    const limit: Limit = { max: 1, windowSeconds: 3600 }
    const bucket = `${yield* newBucket} \0\uD800 ' %`
    assert.isTrue((yield* limiter.hit(bucket, limit)).allowed)
    assert.isFalse((yield* limiter.hit(bucket, limit)).allowed)
  })),
  test("admits exactly the limit of twenty attempts at once", Effect.gen(function*() {
    const limiter = yield* RateLimiter
    const bucket = yield* newBucket
    const answers = yield* twenty(() => limiter.hit(bucket, { max: 12, windowSeconds: 3600 }))
    const left = answers.flatMap(({ allowed, remaining }) => allowed ? [remaining] : [])
    assert.deepStrictEqual(left.toSorted((one, other) => one - other), Array.from({ length: 12 }, (_, place) => place))
  })),
  test("opens the next window when the one before has closed, by the store's clock", Effect.gen(function*() {
    const limiter = yield* RateLimiter
    const bucket = yield* newBucket
    const short: Limit = { max: 1, windowSeconds: 1 }
    assert.deepStrictEqual(yield* limiter.hit(bucket, short), { allowed: true, limit: short, remaining: 0, resetSeconds: 1 })
    yield* pass(capabilities, 1000)
    assert.isTrue((yield* limiter.hit(bucket, short)).allowed)
  })),
  property("agrees with the policy on any history", history, (steps) =>
    Effect.gen(function*() {
      const limiter = yield* RateLimiter
      const buckets = [yield* newBucket, yield* newBucket]
      const moves = capabilities.clock === "test"
      const limit: Limit = { max: 3, windowSeconds: moves ? 2 : 3600 }
      const model = new Map<number, Window>()
      for (const { bucket, waitMillis } of steps) {
        if (moves) yield* pass(capabilities, waitMillis)
        const [window, expected] = hit(limit, model.get(bucket), yield* Clock.currentTimeMillis)
        model.set(bucket, window)
        const usage = yield* limiter.hit(buckets[bucket]!, limit)
        assert.deepStrictEqual(moves ? usage : { ...usage, resetSeconds: 0 }, moves ? expected : { ...expected, resetSeconds: 0 })
      }
    }))
])
