import type { Effect } from "effect"
import { Context } from "effect"
import type { McpSessionId, McpSubscription } from "./mcp-session.ts"

/** Which resources the clients of MCP sessions want to hear of. They belong to the session, and end with it. */
export class McpSubscriptionStore extends Context.Service<McpSubscriptionStore, {
  /**
   * Subscribes a session to a resource as of that revision, anew if it was, and tells those who listen to the session.
   * Answers false, and did nothing, when the session is over or is subscribed to `max` others.
   */
  add(id: McpSessionId, subscription: McpSubscription, max: number): Effect.Effect<boolean>
  /** Ends a subscription, and tells those who listen to the session. */
  remove(id: McpSessionId, uri: string): Effect.Effect<void>
  /** Up to which revision the client was told of a resource. Nothing happens where it is not subscribed to that. */
  note(id: McpSessionId, subscription: McpSubscription): Effect.Effect<void>
  /** What a session is subscribed to, by address. */
  list(id: McpSessionId): Effect.Effect<ReadonlyArray<McpSubscription>>
}>()("@coppice/core/mcp-session/McpSubscriptionStore") {}
