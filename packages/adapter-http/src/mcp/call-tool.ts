import { AwaitsAnswer, type Content, type CurrentPrincipal, type Progress, type Tool, ToolProgress } from "@coppice/core"
import { Cause, Effect } from "effect"
import { reportDefect } from "../errors/defect.ts"
import { envelope } from "../errors/error-envelope.ts"
import type { Failure } from "../errors/failure.ts"

/** What a call of a tool answers, in every revision of MCP. */
export interface ToolResult {
  readonly [key: string]: unknown
  readonly content: ReadonlyArray<Content>
  readonly structuredContent: { readonly [key: string]: unknown }
  readonly isError?: true
}

const result = (
  structuredContent: { readonly [key: string]: unknown },
  content: ReadonlyArray<Content> = [{ type: "text", text: JSON.stringify(structuredContent) }]
): ToolResult => ({ content, structuredContent })

/** A failure that the model can act on is a result like any other, in the same envelope as over plain HTTP. */
const failed = (failure: Failure): ToolResult => ({ ...result({ ...envelope(failure) }), isError: true })

/** A call as the SDK of either era brings it. */
export interface ToolCall {
  readonly args: unknown
  readonly signal: AbortSignal
  /** The client's name for the progress of this call, if it wants to hear of that. */
  readonly progressToken: string | number | undefined
  readonly notify: (notification: { readonly method: string; readonly params: Record<string, unknown> }) => Promise<void>
}

const progressSink = ({ notify, progressToken }: ToolCall) => (progress: Progress): Effect.Effect<void> =>
  progressToken === undefined
    ? Effect.void
    : Effect.ignore(Effect.tryPromise(() =>
      notify({ method: "notifications/progress", params: { progressToken, ...progress } })
    ))

/** Calls a tool; what it answers, and how it fails, becomes a result. Only interruption does not, and that it awaits an answer. */
export const callTool = <R>(
  tool: Tool<R | CurrentPrincipal>,
  call: ToolCall,
  isOutage: (defect: unknown) => boolean
): Effect.Effect<ToolResult, AwaitsAnswer, R | CurrentPrincipal> =>
  tool.call(call.args).pipe(
    Effect.map((answer) => result(answer, tool.show?.(answer))),
    Effect.catch((failure) => failure instanceof AwaitsAnswer ? Effect.fail(failure) : Effect.succeed(failed(failure))),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) || !Cause.hasDies(cause) ? Effect.failCause(cause) : Effect.map(reportDefect(cause, isOutage), failed)
    ),
    Effect.provideService(ToolProgress, progressSink(call))
  )
