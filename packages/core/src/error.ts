import { Schema } from "effect"
import type { ErrorCode } from "./error-code.ts"

/** What every error tells: what happened, and, when known, what to do about it. */
const fields = { message: Schema.String, hint: Schema.optionalKey(Schema.String) }

/** An argument is malformed, too large, or does not fit the state of what it names. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", fields) {
  readonly code = "INVALID_REQUEST" satisfies ErrorCode
}

/** No credential, or one that is unknown, expired or revoked. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", fields) {
  readonly code = "UNAUTHORIZED" satisfies ErrorCode
}

/** The caller is known and may not do this. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", fields) {
  readonly code = "FORBIDDEN" satisfies ErrorCode
}

/** It is not there, or belongs to another organization: the two read the same. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", fields) {
  readonly code = "NOT_FOUND" satisfies ErrorCode
}

/** The present state does not allow it: a taken name, an illegal move, work that would be lost. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", fields) {
  readonly code = "CONFLICT" satisfies ErrorCode
}

/** What is needed is not there now: a host that is offline, an agent that is not installed. Nothing was done. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", fields) {
  readonly code = "UNAVAILABLE" satisfies ErrorCode
}

/** It took longer than it was given. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", fields) {
  readonly code = "TIMEOUT" satisfies ErrorCode
}

/** An error that a use case may answer with. What only infrastructure can cause is a defect and never one of these. */
export type CoppiceError = InvalidRequest | Unauthorized | Forbidden | NotFound | Conflict | Unavailable | TimedOut

export const notFound = (noun: string, reference: string): NotFound =>
  new NotFound({ message: `No ${noun} "${reference}".`, hint: `List the ${noun}s to see which there are.` })
