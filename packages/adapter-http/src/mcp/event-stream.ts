import { Effect, Stream } from "effect"
import type { Reply } from "../reply.ts"

/** Proxies and clients take a connection on which nothing comes for a dead one. */
const keepAlive = Stream.map(Stream.tick("15 seconds"), () => ": keep-alive\n\n").pipe(Stream.drop(1))

/** A message as a server-sent event. */
export const messageEvent = (message: object, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`

/**
 * Tells `over` that a stream has ended, or that its reader went away. Finalizers of the stream's own do not do: it may be
 * left before it has begun.
 */
export const watched = (
  source: ReadableStream<Uint8Array>,
  over: (how: "ended" | "left") => void
): ReadableStream<Uint8Array> => {
  const reader = source.getReader()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      over("ended")
      controller.close()
    },
    cancel: (reason) => {
      over("left")
      return reader.cancel(reason)
    }
  }, { highWaterMark: 0 })
}

/** A stream of server-sent events as a reply: it lasts as long as the stream does, unless its reader goes away. */
export const eventStreamReply = Effect.fnUntraced(function*<R>(
  events: Stream.Stream<string, never, R>,
  whenLeft: Effect.Effect<unknown>
): Effect.fn.Return<Reply, never, R> {
  const source = yield* events.pipe(
    Stream.merge(keepAlive, { haltStrategy: "left" }),
    Stream.encodeText,
    Stream.toReadableStreamEffect()
  )
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  return {
    status: 200,
    body: watched(source, (how) => void (how === "left" && runFork(whenLeft))),
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      // Some proxies would hold events back until they have a full buffer of them.
      "x-accel-buffering": "no"
    }
  }
})
