import { Effect, Stream } from "effect"
import type { Reply } from "../reply.ts"

/** Proxies and clients take a connection on which nothing comes for a dead one. */
const silenceMillis = 15_000
const keepAlive = new TextEncoder().encode(": keep-alive\n\n")

/** A message as a server-sent event. */
export const messageEvent = (message: object, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`

/**
 * Tells `over` that a stream has ended, or that its reader went away. Finalizers of the stream's own do not do: it may be
 * left before it has begun. Where silence is not to last, it is broken after so long. A timer for each silence costs
 * nearly nothing, where a stream that ticks would be the dearest part of one on which nothing happens.
 */
export const watched = (
  source: ReadableStream<Uint8Array>,
  over: (how: "ended" | "left") => void,
  maxSilenceMillis?: number
): ReadableStream<Uint8Array> => {
  const reader = source.getReader()
  let isReading = false
  let hasLeft = false
  let heard = () => {}
  const read = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    isReading = true
    try {
      const { done, value } = await reader.read()
      if (hasLeft) return
      if (!done) return controller.enqueue(value)
      over("ended")
      controller.close()
    } catch (error) {
      controller.error(error)
    } finally {
      isReading = false
      heard()
    }
  }
  return new ReadableStream({
    pull: (controller) =>
      new Promise<void>((resolve) => {
        const speak = () => {
          controller.enqueue(keepAlive)
          resolve()
        }
        const timer = maxSilenceMillis === undefined ? undefined : setTimeout(speak, maxSilenceMillis)
        heard = () => {
          clearTimeout(timer)
          resolve()
        }
        if (!isReading) void read(controller)
      }),
    cancel: (reason) => {
      hasLeft = true
      heard()
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
    Stream.encodeText,
    Stream.toReadableStreamEffect()
  )
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  return {
    status: 200,
    body: watched(source, (how) => void (how === "left" && runFork(whenLeft)), silenceMillis),
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      // Some proxies would hold events back until they have a full buffer of them.
      "x-accel-buffering": "no"
    }
  }
})
