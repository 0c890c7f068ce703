import { type CurrentPrincipal, maxMcpMessages, type McpSession, type McpSubscription } from "@coppice/core"
import { McpSessionStore, McpSubscriptionStore } from "@coppice/core/ports"
import { Effect, Queue, Stream } from "effect"
import type { ResourceRequests } from "../resource-requests.ts"
import { watchResources } from "../resource-watch.ts"

const sameAddresses = (left: ReadonlyArray<McpSubscription>, right: ReadonlyArray<McpSubscription>): boolean =>
  left.length === right.length && left.every(({ uri }, place) => uri === right[place]!.uri)

/**
 * Says in a session what has changed of the resources that it is subscribed to, on whichever replica that was done, and
 * what had changed while nobody listened. It emits nothing, and never ends: it is for as long as the session has a stream.
 */
export const subscriptionStream = <R>(
  requests: ResourceRequests<R>,
  session: McpSession
): Stream.Stream<never, never, R | CurrentPrincipal | McpSessionStore | McpSubscriptionStore> =>
  Stream.unwrap(Effect.gen(function*() {
    const sessions = yield* McpSessionStore
    const subscriptions = yield* McpSubscriptionStore
    const wake = yield* Queue.sliding<void>(1)
    yield* sessions.listen(session, () => void Queue.offerUnsafe(wake, undefined))
    Queue.offerUnsafe(wake, undefined)
    // First said, then noted: what is cut off in between is said again.
    const tell = (subscription: McpSubscription) => {
      const message = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: subscription.uri } }
      return Effect.andThen(
        sessions.say(session.id, JSON.stringify(message), maxMcpMessages),
        subscriptions.note(session.id, subscription)
      )
    }
    return Stream.fromQueue(wake).pipe(
      Stream.mapEffect(() => subscriptions.list(session.id)),
      Stream.changesWith(sameAddresses),
      Stream.switchMap((present) =>
        present.length === 0 ? Stream.never : Stream.fromEffectDrain(watchResources(requests, present, tell))
      )
    )
  }))
