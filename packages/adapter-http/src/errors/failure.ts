import type { ErrorCode, Usage } from "@coppice/core"
import { Data } from "effect"
import type { HeaderFields } from "../reply.ts"

/** What any failure of an endpoint has; core's errors are of this shape too. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string | undefined
  /** How the request stands against its limit, when it was counted. */
  readonly usage?: Usage | undefined
  readonly headers?: HeaderFields | undefined
}

/** A request that HTTP itself refuses, before any use case hears of it. */
export class Refused extends Data.TaggedError("Refused")<Failure> {}
