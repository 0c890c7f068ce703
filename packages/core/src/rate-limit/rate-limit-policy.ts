import type { Limit, Usage, Window } from "./rate-limit.ts"

/** How a window that holds `count` requests, this one among them, answers it. */
export const usageOf = (limit: Limit, window: Window, nowMillis: number): Usage => ({
  allowed: window.count <= limit.max,
  limit,
  remaining: Math.max(0, limit.max - window.count),
  resetSeconds: Math.max(1, Math.ceil((window.endsAtMillis - nowMillis) / 1000))
})

/**
 * One request, or `hits` at once, against a bucket. The window is fixed and opened by its first request, so that up to
 * twice `max` can pass around the moment where one closes and the next opens.
 */
export const hit = (
  limit: Limit,
  window: Window | undefined,
  nowMillis: number,
  hits = 1
): readonly [Window, Usage] => {
  const next: Window = window === undefined || window.endsAtMillis <= nowMillis
    ? { count: hits, endsAtMillis: nowMillis + limit.windowSeconds * 1000 }
    : { count: window.count + hits, endsAtMillis: window.endsAtMillis }
  return [next, usageOf(limit, next, nowMillis)]
}
