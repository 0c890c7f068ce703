import { Effect } from "effect"
import { Refused } from "../errors/failure.ts"
import type { Call, FormCall } from "./call.ts"
import { formTokenField, isFormToken } from "./form-token.ts"
import { readBody } from "./read-body.ts"

/** More than any form of ours holds that says nothing else. */
const defaultMaxBytes = 64 * 1024

/**
 * Whether one of the service's own pages sent this. The browser says so in Origin; where that is withheld ("null"), in
 * Sec-Fetch-Site. Who says neither is no browser of these years. A form of another site comes without our cookies
 * (SameSite), so it is refused before anybody looks for these: an answer that set new ones would sign the person out.
 */
export const isOwnPage = ({ base, request: { headers } }: Call): boolean => {
  const origin = headers.get("origin")
  return origin === null || origin === "null"
    ? headers.get("sec-fetch-site") === "same-origin"
    : origin === new URL(base).origin
}

export const foreignForm = () =>
  new Refused({
    code: "FORBIDDEN",
    message: "This form came from another site.",
    hint: "Open the page here, and send it from there."
  })

const stale = () =>
  new Refused({
    code: "FORBIDDEN",
    message: "This form is too old, or was made for another sign-in.",
    hint: "Open the page again and send it from there. Your browser must accept cookies of this site."
  })

const isForm = (type: string | null): boolean =>
  type?.split(";")[0]!.trim().toLowerCase() === "application/x-www-form-urlencoded"

/** Where the form went: what its token was made for. */
const actionOf = ({ request }: Call): string => {
  const { pathname, search } = new URL(request.url)
  return pathname + search
}

/** The fields of a form that was made for this browser; any other is refused, and changes nothing. */
export const readForm = Effect.fnUntraced(function*(call: Call, secret: string | undefined, maxBytes = defaultMaxBytes) {
  if (secret === undefined) return yield* stale()
  if (!isForm(call.request.headers.get("content-type"))) {
    return yield* new Refused({ code: "UNSUPPORTED_MEDIA_TYPE", message: "That is no form." })
  }
  const body = yield* readBody(call.request, maxBytes)
  if (body === undefined) return yield* new Refused({ code: "PAYLOAD_TOO_LARGE", message: "The form is too large." })
  const form = new URLSearchParams(new TextDecoder().decode(body))
  if (!isFormToken(form.get(formTokenField), secret, actionOf(call))) return yield* stale()
  form.delete(formTokenField)
  return { ...call, form } satisfies FormCall
})
