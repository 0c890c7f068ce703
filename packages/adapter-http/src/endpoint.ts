import type { CurrentPrincipal, Limit } from "@coppice/core"
import type { Effect } from "effect"
import type { EndpointDocs } from "./endpoint-docs.ts"
import type { Failure } from "./errors/failure.ts"
import type { CurrentPerson, CurrentVisit } from "./pipeline/browser.ts"
import type { Call, FormCall } from "./pipeline/call.ts"
import type { Reply } from "./reply.ts"

export type Method = "GET" | "POST" | "DELETE"

/** A surface that still serves and is on its way out; RFC 9745 and RFC 8594 give the two headers. */
export interface Deprecation {
  readonly since: Date
  readonly sunset: Date
  readonly successor: string
}

/** A surface that serves no longer. */
export interface Removal {
  readonly replacement: string
  /**
   * Since when callers could know, and when it ended. "never" is what no release has served: its address says where to
   * go, and nobody was there to be given notice.
   */
  readonly served: { readonly deprecated: Date; readonly removed: Date } | "never"
}

interface Common {
  readonly id: string
  readonly paths: ReadonlyArray<string>
  /** The most that a request body may hold; a longer one is 413. */
  readonly maxBodyBytes?: number
  readonly deprecated?: Deprecation
  /** Whether pages of other sites may call it; left out, browsers keep them from it. Never for what goes by a cookie. */
  readonly cors?: "open"
  /** What documents say of it beyond what the other fields do. Left out for what is for people only, which no document lists. */
  readonly docs?: EndpointDocs
}

/** Anybody may ask. */
export interface PublicEndpoint<R> extends Common {
  readonly method: Method
  readonly security: "public"
  readonly handle: (call: Call) => Effect.Effect<Reply, Failure, R>
}

/** Needs an access token or an API key. Where there is a limit, a request is counted against it, by its credential, once that is known to be good. */
export interface BearerEndpoint<R> extends Common {
  readonly method: Method
  readonly security: "bearer"
  readonly limit?: Limit
  readonly handle: (call: Call) => Effect.Effect<Reply, Failure, R | CurrentPrincipal>
}

/** Needs an automation's token, which the use case judges together with the rest, in one step. */
export interface WebhookEndpoint<R> extends Common {
  readonly method: Method
  readonly security: "webhook"
  readonly limit: Limit
  readonly handle: (call: Call) => Effect.Effect<Reply, Failure, R>
}

export interface Page<Needs> extends Common {
  readonly cors?: never
  /** What it is, for who reads the catalogue. */
  readonly summary: string
  readonly security: Needs
  readonly maxBodyBytes?: never
}

/** Seen, as a page. */
export interface View<R> {
  readonly method: "GET"
  readonly handle: (call: Call) => Effect.Effect<Reply, Failure, R>
}

/** Sent, as a form of one of the service's own pages: what comes from elsewhere is refused before the handler hears of it. */
export interface Submission<R> {
  readonly method: "POST"
  /** The most that the form may hold, where it is one for long texts; a longer one is 413. */
  readonly maxFormBytes?: number
  readonly handle: (call: FormCall) => Effect.Effect<Reply, Failure, R>
}

/** A page for whoever comes by in a browser, signed in or not. A failure is a page, too. */
export type VisitorEndpoint<R> = Page<"visitor"> & (View<R | CurrentVisit> | Submission<R | CurrentVisit>)

/** A page for who is signed in. Others are sent to sign in, and come back. */
export type BrowserEndpoint<R> =
  & Page<"browser">
  & (View<R | CurrentVisit | CurrentPerson | CurrentPrincipal> | Submission<R | CurrentVisit | CurrentPerson | CurrentPrincipal>)

/** Gone: any method is answered 410 with a hint that names the replacement. */
export interface RemovedEndpoint extends Common {
  readonly security: "public"
  readonly removed: Removal
}

/** One row of the catalogue: all that mounting, documents and tests need to know about an address. */
export type Endpoint<R = never> =
  | PublicEndpoint<R>
  | BearerEndpoint<R>
  | WebhookEndpoint<R>
  | VisitorEndpoint<R>
  | BrowserEndpoint<R>
  | RemovedEndpoint

/** What programs call, or send people to, and documents list. */
export type DocumentedEndpoint<R = never> = Exclude<Endpoint<R>, BrowserEndpoint<R>> & { readonly docs: EndpointDocs }

export const isDocumented = <R>(endpoint: Endpoint<R>): endpoint is DocumentedEndpoint<R> =>
  endpoint.docs !== undefined && endpoint.security !== "browser"

/** The identity, for the types. */
export const defineEndpoint = <R = never>(endpoint: Endpoint<R>): Endpoint<R> => endpoint
