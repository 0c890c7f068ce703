import type { CurrentPrincipal, Tool } from "@coppice/core"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { Cause, Effect } from "effect"
import { reportDefect } from "../errors/defect.ts"
import { envelope } from "../errors/error-envelope.ts"
import type { Failure } from "../errors/failure.ts"

const result = (structuredContent: { readonly [key: string]: unknown }): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent
})

/** A failure that the model can act on is a result like any other, in the same envelope as over plain HTTP. */
const failed = (failure: Failure): CallToolResult => ({ ...result({ ...envelope(failure) }), isError: true })

/** Calls a tool; what it answers, and how it fails, becomes a result. Only interruption does not. */
export const callTool = <R>(
  tool: Tool<R | CurrentPrincipal>,
  args: unknown,
  isOutage: (defect: unknown) => boolean
): Effect.Effect<CallToolResult, never, R | CurrentPrincipal> =>
  tool.call(args).pipe(
    Effect.map(result),
    Effect.catch((failure) => Effect.succeed(failed(failure))),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.map(reportDefect(cause, isOutage), failed)
    )
  )
