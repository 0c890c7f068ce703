import type { Usage } from "@coppice/core"

export type HeaderFields = Readonly<Record<string, string>>

/** What a handler answers. It becomes a Response in one place, `response.ts`. */
export interface Reply {
  readonly status: number
  readonly body: string | ReadableStream<Uint8Array> | null
  readonly headers: HeaderFields
  /** Set-Cookie fields: the one field that may come several times. */
  readonly cookies?: ReadonlyArray<string>
  /** How the request stands against its limit, when it was counted. */
  readonly usage?: Usage | undefined
}

const jsonHeaders: HeaderFields = { "content-type": "application/json" }

export const json = (status: number, value: unknown, headers?: HeaderFields): Reply => ({
  status,
  body: JSON.stringify(value),
  headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }
})

/** A status and nothing else. */
export const empty = (status: number): Reply => ({ status, body: null, headers: {} })

/** Go on there with GET, whatever the method was (RFC 9110 section 15.4.4). */
export const seeOther = (location: string, cookies: ReadonlyArray<string> = []): Reply => ({
  status: 303,
  body: null,
  headers: { location, "cache-control": "no-store", "referrer-policy": "same-origin" },
  cookies
})
