import { type Cause, Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { empty, json, type Reply } from "../reply.ts"
import type { AnswerForm } from "./accept.ts"
import { eventStreamReply, messageEvent } from "./event-stream.ts"

/** What is said in answer to a POST: notifications and questions on the way, and a response for each request. */
export type Outgoing = { readonly method: string; readonly id?: unknown } | { readonly id?: unknown }

const isOnTheWay = (message: Outgoing): boolean => "method" in message

const isNotification = (message: Outgoing): boolean => isOnTheWay(message) && !("id" in message)

/** Of what a reader is too slow for, notifications go first. */
const maxWaiting = 1000

/**
 * The reply to a POST, in the form that its client takes. `work` gives each message to `send` and then ends. JSON becomes
 * a stream with the first thing that is said on the way, and what has nothing to say is accepted without a word. `whenLeft` is what
 * happens to the work when the client goes away.
 */
export const answer = Effect.fnUntraced(function*<R>(
  form: AnswerForm,
  isBatch: boolean,
  work: (send: (message: Outgoing) => void) => Effect.Effect<void, never, R>,
  whenLeft: (fiber: Fiber.Fiber<void>) => Effect.Effect<unknown>
): Effect.fn.Return<Reply, never, R> {
  const held: Array<Outgoing> = []
  const outbox = yield* Queue.unbounded<Outgoing, Cause.Done>()
  const opened = Deferred.makeUnsafe<void>()
  let streams = form === "event-stream"
  const send = (message: Outgoing): void => {
    if (streams) {
      if (!isNotification(message) || Queue.sizeUnsafe(outbox) < maxWaiting) Queue.offerUnsafe(outbox, message)
      return
    }
    if (!isOnTheWay(message)) return void held.push(message)
    if (form === "json") return
    streams = true
    for (const each of [...held, message]) Queue.offerUnsafe(outbox, each)
    Deferred.doneUnsafe(opened, Effect.void)
  }
  const fiber = yield* Effect.forkDetach(Effect.ensuring(work(send), Queue.end(outbox)))
  if (!streams) {
    yield* Effect.raceFirst(Fiber.join(fiber), Deferred.await(opened)).pipe(Effect.onInterrupt(() => whenLeft(fiber)))
    if (!streams) return held.length === 0 ? empty(202) : json(200, isBatch ? held : held[0])
  }
  const events = Stream.map(Stream.fromQueue(outbox), (message) => messageEvent(message))
  return yield* eventStreamReply(events, whenLeft(fiber))
})
