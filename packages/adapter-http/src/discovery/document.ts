import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Call } from "../pipeline/call.ts"
import type { Reply } from "../reply.ts"

/** Whether the client has this version already (RFC 9110 section 13.1.2). */
const isKnown = (ifNoneMatch: string | null, etag: string): boolean =>
  ifNoneMatch !== null
  && ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*")

/**
 * A handler for what is the same for everybody who calls the service by the same address. It is made when it is first
 * asked for, and kept for the address that was asked for last. Five minutes: so late does an upgrade show.
 */
export const documentHandler = (contentType: string, render: (base: string) => string) => {
  let last: { readonly base: string; readonly body: string; readonly etag: string } | undefined
  return ({ base, request }: Call) =>
    Effect.sync((): Reply => {
      if (last?.base !== base) {
        const body = render(base)
        last = { base, body, etag: `"${createHash("sha256").update(body).digest("base64url")}"` }
      }
      const { body, etag } = last
      const headers = { "cache-control": "public, max-age=300", etag }
      return isKnown(request.headers.get("if-none-match"), etag)
        ? { status: 304, body: null, headers }
        : { status: 200, body, headers: { "content-type": contentType, ...headers } }
    })
}

export const jsonDocumentHandler = (render: (base: string) => object) =>
  documentHandler("application/json", (base) => JSON.stringify(render(base)))
