import { hit } from "@coppice/core"
import { RateLimiter } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"

export const rateLimiterMemory = Layer.effect(
  RateLimiter,
  Effect.gen(function*() {
    const { windows } = yield* MemoryDatabase
    return RateLimiter.of({
      hit: (bucket, limit) =>
        step(({ millis }) => {
          const [window, usage] = hit(limit, windows.get(`attempt:${bucket}`), millis)
          windows.set(`attempt:${bucket}`, window)
          return usage
        })
    })
  })
)
