import type { CurrentPrincipal } from "@coppice/core"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { Refused } from "../../errors/failure.ts"
import type { Call } from "../../pipeline/call.ts"
import type { HeaderFields, Reply } from "../../reply.ts"
import type { ServiceOptions } from "../../service-options.ts"
import type { AnswerForm } from "../accept.ts"
import { type Surface, toolsetsOf } from "../surface.ts"
import { makeModernServer, type ModernCall } from "./modern-server.ts"

const keepAliveMs = 15_000

const onlyAsStream = () =>
  new Refused({
    code: "NOT_ACCEPTABLE",
    message: "A subscription is answered as an event stream, which the Accept field does not admit.",
    hint: "Accept text/event-stream."
  })

const isListen = (body: unknown): boolean => (body as { readonly method?: unknown }).method === "subscriptions/listen"

/** The SDK's response as a reply; what is not a stream is read, so that it goes out with its length. */
const toReply = async (response: Response): Promise<Reply> => {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
  const headers: HeaderFields = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: isStream ? response.body : (await response.text()) || null }
}

/** POST as 2026-07-28 has it: each request stands for itself. Closing the stream of its answer ends it. */
export const makeModernPost = <R>({ isOutage, stopping }: ServiceOptions<R>, surface: Surface<R>) => {
  const makeServer = makeModernServer(surface, isOutage)
  const calls = new WeakMap<Request, ModernCall<R>>()
  const handlerFor = (responseMode: "auto" | "sse") =>
    createMcpHandler(({ requestInfo }) => makeServer(calls.get(requestInfo!)!), { legacy: "reject", responseMode, keepAliveMs })
  const handlers = { auto: handlerFor("auto"), sse: handlerFor("sse") }

  return Effect.fnUntraced(function*(
    { request }: Call,
    form: AnswerForm,
    body: unknown
  ): Effect.fn.Return<Reply, Refused, R | CurrentPrincipal> {
    if (form === "json" && isListen(body)) return yield* onlyAsStream()
    const left = new AbortController()
    const own = new Request(request.url, {
      method: "POST",
      headers: request.headers,
      signal: isListen(body) ? AbortSignal.any([left.signal, stopping]) : left.signal
    })
    calls.set(own, { context: yield* Effect.context<R | CurrentPrincipal>(), form, toolsets: toolsetsOf(request) })
    const handler = form === "event-stream" ? handlers.sse : handlers.auto
    const reply = yield* Effect.promise(async () => toReply(await handler.fetch(own, { parsedBody: body }))).pipe(
      Effect.onInterrupt(() => Effect.sync(() => left.abort()))
    )
    if (reply.status === 500) yield* Effect.logError("The MCP SDK failed", reply.body)
    return reply
  })
}
