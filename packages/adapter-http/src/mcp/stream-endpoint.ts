import { type CurrentPrincipal, maxMcpMessages, type McpSession, openMcpStream, useMcpSession } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { Effect, Queue, Stream } from "effect"
import type { HttpPorts } from "../app-options.ts"
import { Refused } from "../errors/failure.ts"
import { identify } from "../pipeline/authenticate.ts"
import type { Call } from "../pipeline/call.ts"
import type { Reply } from "../reply.ts"
import type { ServiceOptions } from "../service-options.ts"
import { sessionIdMissing, sessionNotFound } from "./end-session-endpoint.ts"
import { eventStreamReply, messageEvent } from "./event-stream.ts"
import { subscriptionStream } from "./legacy/subscription-stream.ts"
import { makeResourceRequests } from "./resource-requests.ts"
import { sessionIdHeader } from "./session-id.ts"

/**
 * How often a stream looks by itself whether its session and its credential are still there. Whoever ends one of them says
 * so, and the stream hears of it at once; this is for what ends by time alone, as an access token does after an hour.
 */
export const lookMillis = 60_000

const badEventId = () =>
  new Refused({
    code: "INVALID_REQUEST",
    message: "The Last-Event-ID field is none of this session's.",
    hint: "Send the id of the last event that was received, or none."
  })

/** After which message the stream goes on: after the one that the client names, else after the last one that there is. */
const startOf = ({ headers }: Request, { lastMessage }: McpSession): number | undefined => {
  const id = headers.get("last-event-id")
  if (id === null) return lastMessage
  return /^\d{1,9}$/.test(id) && Number(id) <= lastMessage ? Number(id) : undefined
}

/**
 * Something is sent at once, because the head of the answer goes out with it. Newer clients get an event without data,
 * to have an id to come back with; older ones could not read that, and get a comment.
 */
const priming = ({ protocolVersion }: McpSession, after: number): string =>
  protocolVersion >= "2025-11-25" ? `id: ${after}\ndata: \n\n` : ": open\n\n"

/** GET for an event stream: what the server sends in a session of its own accord. */
export const makeStreamEndpoint = <R>(service: ServiceOptions<R>) => {
  const { stopping } = service
  const requests = makeResourceRequests(service)
  const stopped = Effect.callback<void>((resume) => {
    const stop = () => resume(Effect.void)
    if (stopping.aborted) return stop()
    stopping.addEventListener("abort", stop, { once: true })
    return Effect.sync(() => stopping.removeEventListener("abort", stop))
  })

  return Effect.fnUntraced(function*(call: Call): Effect.fn.Return<Reply, Refused, R | HttpPorts | CurrentPrincipal> {
    const id = call.request.headers.get(sessionIdHeader)
    if (id === null) return yield* sessionIdMissing()
    const found = yield* useMcpSession(id)
    if (found === undefined) return yield* sessionNotFound()
    const start = startOf(call.request, found)
    if (start === undefined) return yield* badEventId()
    const session = (yield* openMcpStream(id)) ?? (yield* sessionNotFound())

    const store = yield* McpSessionStore
    let after = start
    /** What is new; `undefined` when the stream is over: by the session's end, the credential's, or a newer stream. */
    const look = Effect.gen(function*() {
      yield* identify(call)
      const present = yield* useMcpSession(id)
      if (present?.stream !== session.stream) return undefined
      if (present.lastMessage === after) return []
      const messages = yield* store.messages(session.id, after, maxMcpMessages)
      after = messages.at(-1)?.sequence ?? after
      return messages.map(({ json, sequence }) => messageEvent(JSON.parse(json) as object, String(sequence)))
    }).pipe(Effect.catch(() => Effect.undefined))

    const looks = Stream.unwrap(Effect.gen(function*() {
      const wake = yield* Queue.sliding<void>(1)
      const lookNow = () => void Queue.offerUnsafe(wake, undefined)
      yield* store.listen(session, lookNow)
      yield* Effect.acquireRelease(
        Effect.sync(() => setInterval(lookNow, lookMillis)),
        (timer) => Effect.sync(() => clearInterval(timer))
      )
      lookNow()
      return Stream.fromQueue(wake)
    }))
    const said = looks.pipe(
      Stream.mapEffect(() => look),
      Stream.takeWhile((news) => news !== undefined),
      Stream.flatMap((news) => Stream.fromIterable(news ?? [])),
      (news) => Stream.concat(Stream.succeed(priming(session, start)), news)
    )
    const events: Stream.Stream<string, never, R | HttpPorts | CurrentPrincipal> = requests.someWatched
      ? Stream.merge(said, subscriptionStream(requests, session), { haltStrategy: "left" })
      : said
    return yield* eventStreamReply(Stream.interruptWhen(events, stopped), Effect.void)
  })
}
