import type { Effect } from "effect"
import { Context } from "effect"
import type { LogLevel, McpSession, McpSessionId, McpSessionOwner } from "./mcp-session.ts"

/** The sessions of MCP clients. Whether one is over is judged by the store's clock alone. */
export class McpSessionStore extends Context.Service<McpSessionStore, {
  /**
   * Begins a session, which is over after `idleMillis` without use. Of the sessions of its credential only `maxSessions`
   * stay, this one among them: those that were idle for longest end.
   */
  create(
    session: Omit<McpSession, "expiresAt">,
    options: { readonly idleMillis: number; readonly maxSessions: number }
  ): Effect.Effect<void>
  /**
   * The owner's session, used now: it goes on for `idleMillis`, give or take a hundredth of that. `undefined` when it
   * is over, or not the owner's, or never was.
   */
  use(owner: McpSessionOwner, id: McpSessionId, idleMillis: number): Effect.Effect<McpSession | undefined>
  /** From which severity on the client wants log messages. Nothing happens to a session that is over or another's. */
  setLogLevel(owner: McpSessionOwner, id: McpSessionId, level: LogLevel): Effect.Effect<void>
  /** Ends a session. Answers whether it was there, and the owner's. */
  end(owner: McpSessionOwner, id: McpSessionId): Effect.Effect<boolean>
}>()("@coppice/core/mcp-session/McpSessionStore") {}
