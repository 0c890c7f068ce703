import { Schema } from "effect"
import type { ErrorCode } from "../error-code.ts"

/** The host could not be reached, and what was asked was not done. */
export class HostOffline extends Schema.TaggedError<HostOffline>()("HostOffline", {
  message: Schema.String,
  hint: Schema.optionalKey(Schema.String)
}) {
  readonly code = "UNAVAILABLE" satisfies ErrorCode
}

/** The host was lost during a call: what was asked may or may not have been done. Asking again with the same key is safe. */
export class LinkLost extends Schema.TaggedError<LinkLost>()("LinkLost", {
  message: Schema.String,
  hint: Schema.optionalKey(Schema.String)
}) {
  readonly code = "UNAVAILABLE" satisfies ErrorCode
}

/** How any call to a host can fail, beside its own failures. */
export type HostCallError = HostOffline | LinkLost
