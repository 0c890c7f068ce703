import { HTTPResponse } from "h3"
import { rateLimitHeaders } from "./pipeline/rate-limit-headers.ts"
import type { HeaderFields, Reply } from "./reply.ts"

/** h3 hands the fields on as they come, and takes an object too: that spares building a Headers for every answer. */
class PlainResponse extends HTTPResponse {
  readonly #fields: HeaderFields
  constructor(body: Reply["body"], status: number, fields: HeaderFields) {
    super(body, { status })
    this.#fields = fields
  }
  override get headers(): Headers {
    return this.#fields as unknown as Headers
  }
}

const withCookies = (fields: HeaderFields, cookies: ReadonlyArray<string>): Headers => {
  const headers = new Headers(fields)
  for (const cookie of cookies) headers.append("set-cookie", cookie)
  return headers
}

/** A reply as h3 sends it, with the headers that its usage and its endpoint add. */
export const toResponse = ({ body, cookies = [], headers, status, usage }: Reply, added?: HeaderFields): HTTPResponse => {
  const fields = usage === undefined ? { ...headers, ...added } : { ...headers, ...rateLimitHeaders(usage), ...added }
  return cookies.length === 0
    ? new PlainResponse(body, status, fields)
    : new HTTPResponse(body, { status, headers: withCookies(fields, cookies) })
}
