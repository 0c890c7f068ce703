import type { Limit, Usage } from "@coppice/core"
import { usageOf } from "@coppice/core"

/**
 * The part of an upsert on `rate_windows` that adds hits to a window, or opens the next one when it has closed. The
 * inserted row carries the database's clock as `opened_at`, so that both columns judge by the same instant.
 */
export const addHits = `ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN w.ends_at <= excluded.opened_at THEN excluded.count ELSE w.count + excluded.count END,
  opened_at = CASE WHEN w.ends_at <= excluded.opened_at THEN excluded.opened_at ELSE w.opened_at END,
  ends_at = CASE WHEN w.ends_at <= excluded.opened_at THEN excluded.ends_at ELSE w.ends_at END`

/** An instant in SQL as milliseconds of the Unix epoch. */
export const millis = (expression: string): string => `(extract(epoch FROM ${expression}) * 1000)::float8`

export const usage = (limit: Limit, count: number, endsAtMillis: number, nowMillis: number): Usage =>
  usageOf(limit, { count, endsAtMillis }, nowMillis)
