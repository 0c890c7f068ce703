import { credentialOf, CurrentPrincipal } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { Effect, Exit, Scope } from "effect"
import type { HttpPorts } from "../../app-options.ts"
import { Refused } from "../../errors/failure.ts"
import { identify } from "../../pipeline/authenticate.ts"
import type { Call } from "../../pipeline/call.ts"
import type { HeaderFields, Reply } from "../../reply.ts"
import type { ServiceOptions } from "../../service-options.ts"
import type { AnswerForm } from "../accept.ts"
import { watched } from "../event-stream.ts"
import { type Surface, toolsetsOf } from "../surface.ts"
import { makeModernServer, type ModernCall } from "./modern-server.ts"

const keepAliveMs = 15_000

const onlyAsStream = () =>
  new Refused({
    code: "NOT_ACCEPTABLE",
    message: "A subscription is answered as an event stream, which the Accept field does not admit.",
    hint: "Accept text/event-stream."
  })

const methodOf = (body: unknown): unknown => (body as { readonly method?: unknown }).method

/** What may go on for so long that its credential ends meanwhile. */
const mayTakeLong = (body: unknown): boolean => ["tools/call", "resources/read", "subscriptions/listen"].includes(String(methodOf(body)))

const isListen = (body: unknown): boolean => methodOf(body) === "subscriptions/listen"

/** The SDK's response as a reply; what is not a stream is read, so that it goes out with its length. */
const toReply = async (response: Response): Promise<Reply> => {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
  const headers: HeaderFields = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: isStream ? response.body : (await response.text()) || null }
}

const isStream = (reply: Reply): reply is Reply & { readonly body: ReadableStream<Uint8Array> } =>
  reply.body instanceof ReadableStream

/** POST as 2026-07-28 has it: each request stands for itself. Closing the stream of its answer ends it. */
export const makeModernPost = <R>({ isOutage, stopping }: ServiceOptions<R>, surface: Surface<R>) => {
  const makeServer = makeModernServer(surface, isOutage)
  const calls = new WeakMap<Request, ModernCall<R>>()
  const handlerFor = (responseMode: "auto" | "sse") =>
    createMcpHandler(({ requestInfo }) => makeServer(calls.get(requestInfo!)!), { legacy: "reject", responseMode, keepAliveMs })
  const handlers = { auto: handlerFor("auto"), sse: handlerFor("sse") }

  /** Calls `ended` when the credential has ended, until the scope is closed. */
  const watchCredential = Effect.fnUntraced(function*(call: Call, ended: () => void) {
    const store = yield* McpSessionStore
    const runFork = Effect.runForkWith(yield* Effect.context<Effect.Services<ReturnType<typeof identify>>>())
    yield* store.listen({ credential: credentialOf(yield* CurrentPrincipal) }, ({ _tag }) => {
      if (_tag === "Changed") runFork(Effect.catch(Effect.asVoid(identify(call)), () => Effect.sync(ended)))
    })
  })

  return Effect.fnUntraced(function*(
    call: Call,
    form: AnswerForm,
    body: unknown
  ): Effect.fn.Return<Reply, Refused, R | HttpPorts | CurrentPrincipal> {
    const { request } = call
    if (form === "json" && isListen(body)) return yield* onlyAsStream()
    const left = new AbortController()
    const own = new Request(request.url, {
      method: "POST",
      headers: request.headers,
      signal: isListen(body) ? AbortSignal.any([left.signal, stopping]) : left.signal
    })
    calls.set(own, { context: yield* Effect.context<R | CurrentPrincipal>(), form, toolsets: toolsetsOf(request) })
    const scope = yield* Scope.make()
    const close = Scope.close(scope, Exit.void)
    if (mayTakeLong(body)) yield* Scope.provide(watchCredential(call, () => left.abort()), scope)
    const handler = form === "event-stream" ? handlers.sse : handlers.auto
    const reply = yield* Effect.promise(async () => toReply(await handler.fetch(own, { parsedBody: body }))).pipe(
      Effect.onInterrupt(() => Effect.sync(() => left.abort())),
      Effect.onExit((exit) => Exit.isSuccess(exit) && isStream(exit.value) ? Effect.void : close)
    )
    // Only the end of the credential ends a request under somebody who still waits.
    if (left.signal.aborted) return yield* Effect.as(identify(call), reply)
    if (reply.status === 500) yield* Effect.logError("The MCP SDK failed", reply.body)
    return isStream(reply) ? { ...reply, body: watched(reply.body, () => void Effect.runFork(close)) } : reply
  })
}
