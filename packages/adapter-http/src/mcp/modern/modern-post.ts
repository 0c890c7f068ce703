import { credentialOf, CurrentPrincipal } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { createMcpHandler, type CreateMcpHandlerOptions } from "@modelcontextprotocol/server"
import { Effect, Exit, Scope } from "effect"
import type { HttpPorts } from "../../app-options.ts"
import { Refused } from "../../errors/failure.ts"
import { identify } from "../../pipeline/authenticate.ts"
import type { Call } from "../../pipeline/call.ts"
import type { HeaderFields, Reply } from "../../reply.ts"
import type { ServiceOptions } from "../../service-options.ts"
import type { AnswerForm } from "../accept.ts"
import { watched } from "../event-stream.ts"
import { lookMillis } from "../stream-endpoint.ts"
import { type Surface, toolsetsOf } from "../surface.ts"
import { isListen, prepareListen } from "./modern-listen.ts"
import { makeModernServer, type ModernCall } from "./modern-server.ts"

const keepAliveMs = 15_000

/** How many listening requests a process serves at once. */
const maxListening = 1024

const onlyAsStream = () =>
  new Refused({
    code: "NOT_ACCEPTABLE",
    message: "A subscription is answered as an event stream, which the Accept field does not admit.",
    hint: "Accept text/event-stream."
  })

const methodOf = (body: unknown): unknown => (body as { readonly method?: unknown }).method

/** What may go on for so long that its credential ends meanwhile. */
const mayTakeLong = (body: unknown): boolean => ["tools/call", "prompts/get", "resources/read", "subscriptions/listen"].includes(String(methodOf(body)))

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
  const handlerFor = (responseMode: "auto" | "sse", listening: Partial<CreateMcpHandlerOptions> = {}) =>
    createMcpHandler(({ requestInfo }) => makeServer(calls.get(requestInfo!)!), {
      legacy: "reject",
      responseMode,
      keepAliveMs,
      ...listening
    })
  const handlers = { auto: handlerFor("auto"), sse: handlerFor("sse") }

  /** Calls `ended` when the credential has ended, until the scope is closed. */
  const watchCredential = Effect.fnUntraced(function*(call: Call, ended: () => void) {
    const store = yield* McpSessionStore
    const runFork = Effect.runForkWith(yield* Effect.context<Effect.Services<ReturnType<typeof identify>>>())
    const look = () => void runFork(Effect.catch(Effect.asVoid(identify(call)), () => Effect.sync(ended)))
    yield* store.listen({ credential: credentialOf(yield* CurrentPrincipal) }, ({ _tag }) => {
      if (_tag === "Changed") look()
    })
    // Nobody tells of a credential that ends by time alone.
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(look, lookMillis)),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
  })

  let listening = 0

  /** A handler for one request to listen, which is fed until the scope is closed. */
  const listen = Effect.fnUntraced(function*(body: unknown) {
    const { bus, feed, body: parsedBody } = yield* prepareListen(surface.resources, body)
    yield* Effect.acquireRelease(Effect.sync(() => listening++), () => Effect.sync(() => listening--))
    yield* Effect.forkScoped(feed)
    return { handler: handlerFor("sse", { bus, maxSubscriptions: listening > maxListening ? 0 : 1 }), parsedBody }
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
    const handling = Effect.gen(function*() {
      if (mayTakeLong(body)) yield* watchCredential(call, () => left.abort())
      const { handler, parsedBody } = isListen(body)
        ? yield* listen(body)
        : { handler: form === "event-stream" ? handlers.sse : handlers.auto, parsedBody: body }
      return yield* Effect.promise(async () => toReply(await handler.fetch(own, { parsedBody })))
    })
    const reply = yield* Scope.provide(handling, scope).pipe(
      Effect.onInterrupt(() => Effect.sync(() => left.abort())),
      Effect.onExit((exit) => Exit.isSuccess(exit) && isStream(exit.value) ? Effect.void : close)
    )
    // Only the end of the credential ends a request under somebody who still waits.
    if (left.signal.aborted) return yield* Effect.as(identify(call), reply)
    if (reply.status === 500) yield* Effect.logError("The MCP SDK failed", reply.body)
    return isStream(reply) ? { ...reply, body: watched(reply.body, () => void Effect.runFork(close)) } : reply
  })
}
