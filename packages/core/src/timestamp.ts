import { DateTime, Schema } from "effect"

/** An instant; on the wire ISO 8601 in UTC with milliseconds, as `2026-01-02T03:04:05.678Z`. */
export const Timestamp = Schema.DateTimeUtcFromString.annotate({ description: "ISO 8601 UTC with milliseconds" })
export type Timestamp = DateTime.Utc

/** The present instant, by the clock of whoever runs the effect. */
export const now = DateTime.now

/** What every record carries beside its own fields. */
export const recordTimes = { createdAt: Timestamp, updatedAt: Timestamp }
