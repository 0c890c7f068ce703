import { Result } from "effect"

/** The most that a webhook's body may hold: 1 MiB. */
export const maxPayloadBytes = 1_048_576

/** What a request says of its body before it is read. */
export interface PayloadHeaders {
  /** How many bytes it announces; `undefined` when it does not say. */
  readonly declaredBytes: number | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
}

/** Why bytes are no payload. */
export interface PayloadFault {
  readonly code: "PAYLOAD_TOO_LARGE" | "INVALID_REQUEST" | "INVALID_JSON"
  readonly message: string
  readonly hint?: string
}

export const payloadTooLarge: PayloadFault = {
  code: "PAYLOAD_TOO_LARGE",
  message: "The body is over 1 MiB.",
  hint: "Send at most 1,048,576 bytes; put larger data where the agent can fetch it."
}

const notJson = (message: string): PayloadFault => ({
  code: "INVALID_JSON",
  message,
  hint: "Send one JSON object or array in UTF-8, or no body at all."
})

const emptyPayload = new TextEncoder().encode("{}")

/** `application/json` or `application/*+json` (RFC 6839), with any parameters. */
const jsonMediaType = /^\s*application\/(?:json|[!#$%&'*+.^_`|~\w-]+\+json)\s*(?:;|$)/i

// A byte order mark is kept, so that JSON.parse refuses it (RFC 8259 section 8.1).
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const parse = (bytes: Uint8Array): Result.Result<unknown, PayloadFault> => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Result.fail(notJson("The body is not valid UTF-8."))
  }
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail(notJson("The body is not valid JSON."))
  }
}

/**
 * The payload that a body holds: the bytes as they were received, or `{}` for none. They are parsed to be judged, and
 * what the parser made is thrown away: it has lost duplicate keys, large numbers and the sender's own spelling.
 */
export const judgePayload = (headers: PayloadHeaders, bytes: Uint8Array): Result.Result<Uint8Array, PayloadFault> => {
  if (bytes.length === 0) return Result.succeed(emptyPayload)
  if (bytes.length > maxPayloadBytes) return Result.fail(payloadTooLarge)
  const { contentEncoding, contentType } = headers
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity") {
    return Result.fail({
      code: "INVALID_REQUEST",
      message: "A compressed body is not accepted.",
      hint: "Send it without Content-Encoding."
    })
  }
  if (contentType !== undefined && !jsonMediaType.test(contentType)) {
    return Result.fail({
      code: "INVALID_REQUEST",
      message: "The body's declared media type is not JSON.",
      hint: "Send Content-Type: application/json."
    })
  }
  const parsed = parse(bytes)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  return typeof parsed.success === "object" && parsed.success !== null
    ? Result.succeed(bytes)
    : Result.fail(notJson("The body is JSON, and neither an object nor an array."))
}
