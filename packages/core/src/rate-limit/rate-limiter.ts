import type { Effect } from "effect"
import { Context } from "effect"
import type { Limit, Usage } from "./rate-limit.ts"

/** Counts what has no credential to be counted by yet, as attempts to sign in. */
export class RateLimiter extends Context.Service<RateLimiter, {
  /** One more in that bucket, by the store's clock; right over all replicas. The bucket's name holds no secret. */
  hit(bucket: string, limit: Limit): Effect.Effect<Usage>
}>()("@coppice/core/rate-limit/RateLimiter") {}
