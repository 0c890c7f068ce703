import { Clock, Effect } from "effect"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import { CurrentVisit } from "../pipeline/browser.ts"
import type { Call } from "../pipeline/call.ts"
import type { HeaderFields, Reply } from "../reply.ts"
import { type Frame, FrameContext } from "./frame.ts"
import { Layout, type LayoutProps } from "./layout.tsx"

/**
 * Nothing comes from elsewhere, nothing runs that is written in the page, nobody frames it (C2). Forms go to the service
 * alone, and to where a form's answer redirects: Chromium holds that against `form-action` too.
 */
const contentSecurityPolicy = (formTargets: ReadonlyArray<string>, live: boolean): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    ...live ? ["connect-src 'self'"] : [],
    ["form-action 'self'", ...formTargets].join(" "),
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

/**
 * With `no-referrer` browsers withhold Origin from our own forms as well, which have to be known by it; `same-origin` tells
 * other sites as little.
 */
const pageHeaders = (formTargets: ReadonlyArray<string>, live: boolean): HeaderFields => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy(formTargets, live),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store"
})

export interface PageOptions extends Omit<LayoutProps, "children"> {
  /** 200 when left out. */
  readonly status?: number
  readonly headers?: HeaderFields
  readonly cookies?: ReadonlyArray<string>
  /** Other origins, or schemes as `app:`, that a form's answer may redirect to. */
  readonly formTargets?: ReadonlyArray<string>
  /** Whether the page's script may ask for it again, to bring parts of it up to date. */
  readonly live?: boolean
}

/** A page, as a reply. */
export const renderPage = (frame: Frame, options: PageOptions, content: ComponentChildren): Reply => {
  const { cookies = [], formTargets = [], headers, live = false, status = 200, ...layout } = options
  const page = <FrameContext.Provider value={frame}><Layout {...layout}>{content}</Layout></FrameContext.Provider>
  return { status, body: `<!doctype html>${renderToString(page)}`, headers: { ...pageHeaders(formTargets, live), ...headers }, cookies }
}

/** The page for the browser of this call. */
export const showPage = Effect.fnUntraced(function*(call: Call, options: PageOptions, content: ComponentChildren) {
  const { pathname, search } = new URL(call.request.url)
  const frame = { visit: yield* CurrentVisit, path: pathname, location: pathname + search, nowMillis: yield* Clock.currentTimeMillis }
  return renderPage(frame, options, content)
})
