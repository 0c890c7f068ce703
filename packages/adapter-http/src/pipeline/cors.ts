import type { Endpoint } from "../endpoint.ts"
import type { HeaderFields } from "../reply.ts"
import { methodsOf } from "./method.ts"

/** What a page's script may send beyond what browsers always let it. */
const requestFields = [
  "Authorization",
  "Content-Type",
  "Accept",
  "Mcp-Session-Id",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Last-Event-ID"
]

/** What a page's script may read of an answer beyond what browsers always let it. */
const responseFields = [
  "WWW-Authenticate",
  "Mcp-Session-Id",
  "Retry-After",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "RateLimit-Policy"
]

/** Any site, and never with cookies. The same for every request, so that a cache needs no Vary. */
const anySite: HeaderFields = { "access-control-allow-origin": "*" }

const readable: HeaderFields = { ...anySite, "access-control-expose-headers": responseFields.join(", ") }

export const isOpen = ({ cors }: { readonly cors?: "open" }): boolean => cors === "open"

/** What every answer of an open address carries, errors among them; nothing at any other. */
export const corsFields = (endpoints: ReadonlyArray<{ readonly cors?: "open" }>): HeaderFields | undefined =>
  endpoints.some(isOpen) ? readable : undefined

/** The answer to a browser that asks, before a page's request, whether that may be sent. */
export const preflightFields = <R>(endpoints: ReadonlyArray<Endpoint<R>>): HeaderFields | undefined =>
  endpoints.some(isOpen)
    ? {
      ...anySite,
      "access-control-allow-methods": methodsOf(endpoints.filter(isOpen)).join(", "),
      "access-control-allow-headers": requestFields.join(", "),
      // Two hours: no browser remembers an answer for longer than Chromium does.
      "access-control-max-age": "7200"
    }
    : undefined
