import { DateTime, Schema } from "effect"

/** An instant; on the wire ISO 8601 in UTC with milliseconds, as `2026-01-02T03:04:05.678Z`. */
export const Timestamp = Schema.DateTimeUtcFromString.annotate({ description: "ISO 8601 UTC with milliseconds" })
export type Timestamp = DateTime.Utc

const givenPattern = /^(?:19[7-9]|20\d)\d-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * An instant as a caller may write it, with any offset. Other spellings are refused: what a parser makes of them depends on
 * where it runs; and so are years before 1970 and after 2099, which not every store can keep. The description is of
 * what is written, since that is what a client sees.
 */
export const givenTimestamp = (description: string) =>
  Schema.String.check(Schema.isPattern(givenPattern, { expected: "an instant, as 2026-01-02T03:04:05Z" }))
    .annotate({ description }).pipe(Schema.decodeTo(Timestamp))

/** The present instant, by the clock of whoever runs the effect. */
export const now = DateTime.now

/** What every record carries beside its own fields. */
export const recordTimes = { createdAt: Timestamp, updatedAt: Timestamp }
