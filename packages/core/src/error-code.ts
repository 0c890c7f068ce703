import { Schema } from "effect"

/** The closed list of `error.code` values that a caller may see, in the API envelope and in tool results alike. */
export const ErrorCode = Schema.Literals([
  "INVALID_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "NOT_ACCEPTABLE",
  "CONFLICT",
  "GONE",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "RATE_LIMITED",
  "INVALID_REDIRECT_URI",
  "INVALID_CLIENT_METADATA",
  "AUTOMATION_PAUSED",
  "INVALID_JSON",
  "TIMEOUT",
  "UNAVAILABLE",
  "INTERNAL"
])
export type ErrorCode = typeof ErrorCode.Type
