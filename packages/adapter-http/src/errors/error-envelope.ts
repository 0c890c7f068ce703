import type { ErrorCode } from "@coppice/core"
import { json, type Reply } from "../reply.ts"
import type { Failure } from "./failure.ts"

/** The HTTP status of each error code. TIMEOUT is the request that did not arrive in time (RFC 9110 section 15.5.9). */
export const statusOf: Record<ErrorCode, number> = {
  INVALID_REQUEST: 400,
  INVALID_JSON: 400,
  INVALID_REDIRECT_URI: 400,
  INVALID_CLIENT_METADATA: 400,
  AUTOMATION_PAUSED: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  TIMEOUT: 408,
  CONFLICT: 409,
  GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503
}

/** `{ error: { code, message, hint? } }`: the only place that writes it. */
export const envelope = ({ code, hint, message }: Failure): { error: object } => ({
  error: hint === undefined ? { code, message } : { code, message, hint }
})

/** The answer to a failure, with the headers that its kind calls for. */
export const failureReply = (failure: Failure): Reply => {
  const { headers, usage } = failure
  const retry = failure.code === "RATE_LIMITED" && usage !== undefined
    ? { "retry-after": String(usage.resetSeconds) }
    : undefined
  return { ...json(statusOf[failure.code], envelope(failure), { ...retry, ...headers }), usage }
}
