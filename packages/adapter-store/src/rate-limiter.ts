import { RateLimiter } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { addHits, millis, usage } from "./rate-window.ts"
import { escapeText } from "./record.ts"

export const rateLimiterLayer = Layer.effect(
  RateLimiter,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const addingHits = sql.literal(addHits)
    const endsAtMillis = sql.literal(millis("w.ends_at"))
    const nowMillis = sql.literal(millis("clock.now"))
    return RateLimiter.of({
      hit: Effect.fn("RateLimiter.hit")(function*(bucket, limit) {
        const [row] = yield* sql<{ readonly count: number; readonly endsAtMillis: number; readonly nowMillis: number }>`
          WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
          w AS (
            INSERT INTO rate_windows AS w (key, count, opened_at, ends_at)
            SELECT ${`attempt:${escapeText(bucket)}`}, 1, clock.now, clock.now + ${limit.windowSeconds} * interval '1 second' FROM clock
            ${addingHits} RETURNING count, ends_at
          )
          SELECT w.count, ${endsAtMillis} AS ends_at_millis, ${nowMillis} AS now_millis FROM w CROSS JOIN clock`
        return usage(limit, row!.count, row!.endsAtMillis, row!.nowMillis)
      }, Effect.orDie)
    })
  })
)
