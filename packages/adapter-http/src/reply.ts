import type { Usage } from "@coppice/core"

export type HeaderFields = Readonly<Record<string, string>>

/** What a handler answers. It becomes a Response in one place, `app.ts`. */
export interface Reply {
  readonly status: number
  readonly body: string | ReadableStream<Uint8Array> | null
  readonly headers: HeaderFields
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
