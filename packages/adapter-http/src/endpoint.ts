import type { CurrentPrincipal, Limit } from "@coppice/core"
import type { Effect } from "effect"
import type { EndpointDocs } from "./endpoint-docs.ts"
import type { Failure } from "./errors/failure.ts"
import type { Call } from "./pipeline/call.ts"
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
  /** What documents say of it beyond what the other fields do. */
  readonly docs: EndpointDocs
}

/** Anybody may ask. */
export interface PublicEndpoint<R> extends Common {
  readonly method: Method
  readonly security: "public"
  readonly handle: (call: Call) => Effect.Effect<Reply, Failure, R>
}

/** Needs an API key. Where there is a limit, a request is counted against it, by its credential, once that is known to be good. */
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

/** Gone: any method is answered 410 with a hint that names the replacement. */
export interface RemovedEndpoint extends Common {
  readonly security: "public"
  readonly removed: Removal
}

/** One row of the catalogue: all that mounting, documents and tests need to know about an address. */
export type Endpoint<R = never> = PublicEndpoint<R> | BearerEndpoint<R> | WebhookEndpoint<R> | RemovedEndpoint

/** The identity, for the types. */
export const defineEndpoint = <R = never>(endpoint: Endpoint<R>): Endpoint<R> => endpoint
