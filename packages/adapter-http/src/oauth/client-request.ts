import { type ClientRequest, invalidRequest } from "@coppice/core"
import { Effect } from "effect"
import type { Call } from "../pipeline/call.ts"
import { readBody } from "../pipeline/read-body.ts"

/** More than any client has to say. */
const maxFormBytes = 64 * 1024

/** Nothing but a form, with any parameters to that; two types joined by a comma are none. */
const isForm = (contentType: string | null): boolean =>
  /^\s*application\/x-www-form-urlencoded\s*(?:;[^,]*)?$/i.test(contentType ?? "")

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** What a client sends by itself: a form, and perhaps an Authorization field. */
export const readClientRequest = Effect.fnUntraced(function*({ request }: Call) {
  const { headers } = request
  if (!isForm(headers.get("content-type"))) {
    return yield* invalidRequest("The body is sent as application/x-www-form-urlencoded.")
  }
  const bytes = yield* readBody(request, maxFormBytes)
  if (bytes === undefined) return yield* invalidRequest("The body is over 64 KiB.")
  const form = yield* Effect.try({ try: () => utf8.decode(bytes), catch: () => invalidRequest("The body is no UTF-8.") })
  return { form, authorization: headers.get("authorization") ?? undefined } satisfies ClientRequest
})
