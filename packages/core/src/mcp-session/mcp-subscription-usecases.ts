import { Effect } from "effect"
import { Conflict, InvalidRequest } from "../error.ts"
import type { McpSession } from "./mcp-session.ts"
import { maxMcpSubscriptions, maxSubscribedUriLength } from "./mcp-session-policy.ts"
import { McpSubscriptionStore } from "./mcp-subscription-store.ts"

/** Subscribes a session to a resource as of that revision: its client is told of later ones. */
export const subscribeMcpSession = Effect.fn("subscribeMcpSession")(function*(session: McpSession, uri: string, revision: string) {
  if (uri.length > maxSubscribedUriLength) {
    return yield* new InvalidRequest({ message: `An address that is subscribed to has up to ${maxSubscribedUriLength} characters.` })
  }
  const added = yield* (yield* McpSubscriptionStore).add(session.id, { uri, revision }, maxMcpSubscriptions)
  if (!added) {
    return yield* new Conflict({
      message: `The session is subscribed to ${maxMcpSubscriptions} resources.`,
      hint: "Unsubscribe from one, or begin another session."
    })
  }
})

export const unsubscribeMcpSession = Effect.fn("unsubscribeMcpSession")(function*(session: McpSession, uri: string) {
  yield* (yield* McpSubscriptionStore).remove(session.id, uri)
})
