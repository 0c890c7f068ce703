import {
  answerMcpQuestion,
  beginMcpSession,
  cancelMcpRequest,
  type CurrentPrincipal,
  logToMcpSession,
  mcpLimit,
  type McpSession,
  useMcpSession
} from "@coppice/core"
import type { InitializeRequest, InitializeResult, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js"
import { Cause, Clock, Effect, Fiber, Option } from "effect"
import type { HttpPorts } from "../../app-options.ts"
import { reportDefect } from "../../errors/defect.ts"
import type { Failure, Refused } from "../../errors/failure.ts"
import { jsonRpcError, type JsonRpcErrorResponse, rpcCode } from "../../errors/json-rpc-error.ts"
import { authenticate } from "../../pipeline/authenticate.ts"
import type { Call } from "../../pipeline/call.ts"
import { empty, json, type Reply } from "../../reply.ts"
import type { ServiceOptions } from "../../service-options.ts"
import type { AnswerForm } from "../accept.ts"
import { answer, type Outgoing } from "../answer.ts"
import { whileWanted } from "../attention.ts"
import { withPersonOf } from "./ask-person.ts"
import { sessionIdHeader } from "../session-id.ts"
import { type Surface, toolsetsOf } from "../surface.ts"
import { exchange } from "./exchange.ts"
import { makeLegacyServer } from "./legacy-server.ts"
import { firstVersion, isServed, legacyVersions } from "./legacy-version.ts"
import { type Incoming, readMessage } from "./message.ts"
import { paramsFault } from "./params.ts"

/** The most messages that a batch may hold. */
const maxBatch = 50

const badRequest = (error: JsonRpcErrorResponse): Reply => json(400, error)

const idOf = (incoming: Incoming | undefined) => incoming?._tag === "Request" ? incoming.message.id : null

const isInitialize = (incoming: Incoming | undefined): boolean =>
  incoming?._tag === "Request" && incoming.message.method === "initialize"

/** What is wrong with a batch as a whole, if anything. */
const batchFault = (messages: ReadonlyArray<Incoming>, version: string): string | undefined => {
  if (version !== firstVersion) return `Batches ended with ${firstVersion}: send one message.`
  if (messages.length === 0) return "A batch holds at least one message."
  if (messages.length > maxBatch) return `A batch holds at most ${maxBatch} messages.`
  return messages.some(isInitialize) ? "initialize stands alone." : undefined
}

const isCancellation = (incoming: Incoming & { readonly _tag: "Notification" }): incoming is typeof incoming & {
  readonly params: { readonly requestId: string | number }
} => {
  const { requestId } = incoming.params
  return incoming.method === "notifications/cancelled" && (typeof requestId === "string" || typeof requestId === "number")
}

/** What may go on for so long that its client changes its mind, or its credential ends. */
const mayTakeLong = new Set(["tools/call", "prompts/get", "resources/read"])

/** Whether a client can have a person fill in a form; where it names no way, that is the one. */
const elicits = (version: string, { elicitation }: InitializeRequest["params"]["capabilities"]): boolean =>
  version > firstVersion && elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)

/** What is logged of a call: that it was made, for who wants to know it all; and one that went wrong here, as an error. */
const callLog = (request: JSONRPCRequest, response: Outgoing | undefined, millis: number) => {
  const { name: tool } = request.params as { readonly name?: unknown }
  const { result } = (response ?? {}) as { readonly result?: { readonly structuredContent?: { readonly error?: Failure } } }
  const error = result?.structuredContent?.error
  return error?.code === "INTERNAL" || error?.code === "UNAVAILABLE"
    ? { level: "error", data: { tool, millis, error } } as const
    : { level: "debug", data: { tool, millis, outcome: response === undefined ? "cancelled" : "answered" } } as const
}

const unsupported = (version: string): string =>
  `Unsupported protocol version: ${version}. Served: ${legacyVersions.join(", ")}.`

/** POST as the revisions before 2026-07-28 have it: one message, or a batch of the first of them. */
export const makeLegacyPost = <R>(service: ServiceOptions<R>, surface: Surface<R>) => {
  const { isOutage, stopping } = service
  const makeServer = makeLegacyServer(surface, isOutage)

  /** The answer to one request. What nobody foresaw is an answer too, because others may stand beside it. */
  const respond = Effect.fnUntraced(function*(
    request: JSONRPCRequest,
    session: McpSession | undefined,
    toolsets: ReadonlySet<string>,
    send: (message: Outgoing) => void
  ) {
    const fault = paramsFault(request)
    if (fault !== undefined) return jsonRpcError(request.id, rpcCode.invalidParams, fault)
    const context = yield* Effect.context<R | HttpPorts | CurrentPrincipal>()
    return yield* exchange(makeServer({ context, session, toolsets }), request, send).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.map(reportDefect(cause, isOutage), ({ message }) =>
            jsonRpcError(request.id, rpcCode.internalError, message))
      )
    )
  })

  /** The answer to what may take long; none once it is not wanted any more. */
  const respondWhileWanted = Effect.fnUntraced(function*(
    call: Call,
    request: JSONRPCRequest,
    session: McpSession | undefined,
    send: (message: Outgoing) => void
  ) {
    const begun = yield* Clock.currentTimeMillis
    const response = yield* whileWanted(call, session, request.id, respond(request, session, toolsetsOf(call.request), send))
    if (session !== undefined && request.method === "tools/call") {
      const millis = (yield* Clock.currentTimeMillis) - begun
      const { data, level } = callLog(request, Option.getOrUndefined(response), millis)
      yield* logToMcpSession(session, level, data)
    }
    return response
  })

  const initialize = Effect.fnUntraced(function*(form: AnswerForm, request: JSONRPCRequest): Effect.fn.Return<
    Reply,
    never,
    R | HttpPorts | CurrentPrincipal
  > {
    const response = yield* respond(request, undefined, new Set(), () => {})
    const reply = yield* answer(form, false, (send) => Effect.sync(() => send(response)), Fiber.interrupt)
    if (!("result" in response)) return reply
    const { capabilities, clientInfo: { name, version } } = request.params as InitializeRequest["params"]
    const { protocolVersion } = response.result as InitializeResult
    const id = yield* beginMcpSession({ protocolVersion, name, version, elicits: elicits(protocolVersion, capabilities) })
    return { ...reply, headers: { ...reply.headers, [sessionIdHeader]: id } }
  })

  /** In a session a lost connection ends nothing, for the client says what it no longer wants. Without one it has no other way. */
  const whenLeft = (session: McpSession | undefined) => (fiber: Fiber.Fiber<void>): Effect.Effect<unknown> =>
    session === undefined || stopping.aborted
      ? Fiber.interrupt(fiber)
      : Effect.sync(() => {
        const stop = () => fiber.interruptUnsafe()
        stopping.addEventListener("abort", stop, { once: true })
        fiber.addObserver(() => stopping.removeEventListener("abort", stop))
      })

  return Effect.fnUntraced(function*(
    call: Call,
    form: AnswerForm,
    body: unknown
  ): Effect.fn.Return<Reply, Refused, R | HttpPorts | CurrentPrincipal> {
    const { request } = call
    const isBatch = Array.isArray(body)
    const messages: ReadonlyArray<Incoming> = isBatch ? body.slice(0, maxBatch + 1).map(readMessage) : [readMessage(body)]
    const [only] = isBatch ? [] : messages
    if (only?._tag === "Bad") return badRequest(only.error)
    if (only?._tag === "Request" && isInitialize(only)) return yield* initialize(form, only.message)

    const sessionId = request.headers.get(sessionIdHeader)
    const session = sessionId === null ? undefined : yield* useMcpSession(sessionId)
    if (sessionId !== null && session === undefined) {
      return json(404, jsonRpcError(idOf(only), rpcCode.sessionNotFound, "Session not found"))
    }
    const named = request.headers.get("mcp-protocol-version")
    if (named !== null && !isServed(named)) {
      return badRequest(jsonRpcError(idOf(only), rpcCode.invalidRequest, unsupported(named)))
    }
    const fault = isBatch ? batchFault(messages, session?.protocolVersion ?? named ?? firstVersion) : undefined
    if (fault !== undefined) return badRequest(jsonRpcError(null, rpcCode.invalidRequest, fault))
    // The request itself was counted as one on its way here.
    const usage = messages.length > 1 ? (yield* authenticate(call, mcpLimit, messages.length - 1)).usage : undefined

    const toolsets = toolsetsOf(request)
    // A question comes as an event, which who takes JSON alone would not see.
    const asking = session?.elicits === true && form !== "json" ? session : undefined
    const work = (send: (message: Outgoing) => void) =>
      asking === undefined ? workOn(send) : withPersonOf(asking, send)(workOn(send))
    const workOn = (send: (message: Outgoing) => void) =>
      Effect.forEach(messages, (incoming) => {
        switch (incoming._tag) {
          case "Request":
            return mayTakeLong.has(incoming.message.method)
              ? Effect.map(respondWhileWanted(call, incoming.message, session, send), Option.map(send))
              : Effect.map(respond(incoming.message, session, toolsets, send), send)
          case "Notification":
            return session !== undefined && isCancellation(incoming)
              ? cancelMcpRequest(session, incoming.params["requestId"])
              : Effect.void
          case "Bad":
            return Effect.sync(() => send(incoming.error))
          case "Response":
            return session === undefined ? Effect.void : answerMcpQuestion(session, incoming.id, incoming.response)
        }
      }, { concurrency: "unbounded", discard: true })
    const needsAnswer = messages.some(({ _tag }) => _tag === "Request" || _tag === "Bad")
    if (!needsAnswer) {
      yield* work(() => {})
      return { ...empty(202), usage }
    }
    return { ...(yield* answer(form, isBatch, work, whenLeft(session))), usage }
  })
}
