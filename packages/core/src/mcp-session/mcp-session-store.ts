import type { Effect, Scope } from "effect"
import { Context } from "effect"
import type {
  LogLevel,
  McpMessage,
  McpSession,
  McpSessionId,
  McpSessionOwner,
  McpSignal,
  NewMcpSession
} from "./mcp-session.ts"

/** The sessions of MCP clients. Whether one is over is judged by the store's clock alone. */
export class McpSessionStore extends Context.Service<McpSessionStore, {
  /**
   * Begins a session, which is over after `idleMillis` without use. Of the sessions of its credential only `maxSessions`
   * stay, this one among them: those that were idle for longest end.
   */
  create(
    session: NewMcpSession,
    options: { readonly idleMillis: number; readonly maxSessions: number }
  ): Effect.Effect<void>
  /**
   * The owner's session, used now: it goes on for `idleMillis`, give or take a hundredth of that. `undefined` when it
   * is over, or not the owner's, or never was.
   */
  use(owner: McpSessionOwner, id: McpSessionId, idleMillis: number): Effect.Effect<McpSession | undefined>
  /** From which severity on the client wants log messages. Nothing happens to a session that is over or another's. */
  setLogLevel(owner: McpSessionOwner, id: McpSessionId, level: LogLevel): Effect.Effect<void>
  /** Ends a session, and tells those who listen to it. Answers whether it was there, and the owner's. */
  end(owner: McpSessionOwner, id: McpSessionId): Effect.Effect<boolean>
  /** Counts one more stream, and tells those who listen, so that the one before ends. `undefined` as for `use`. */
  openStream(owner: McpSessionOwner, id: McpSessionId): Effect.Effect<McpSession | undefined>
  /**
   * Adds a message, numbered from 1 without a gap, and tells those who listen. Beyond `maxMessages` the oldest go.
   * Nothing is kept for a session that is over.
   */
  say(id: McpSessionId, json: string, maxMessages: number): Effect.Effect<void>
  /** Messages after that number, oldest first, at most `limit`. */
  messages(id: McpSessionId, after: number, limit: number): Effect.Effect<ReadonlyArray<McpMessage>>
  /**
   * Tells those who listen to a session, wherever they are, that a request is not wanted any more, by a key of up to 64
   * visible characters. Nothing is kept.
   */
  cancel(id: McpSessionId, request: string): Effect.Effect<void>
  /**
   * From now on until the scope closes, tells what happens to a session, and `Changed` also when the credential may have
   * ended or when signals may have been missed. Without a session, only the latter two. `tell` must not throw.
   */
  listen(
    to: { readonly credential: string; readonly id?: McpSessionId },
    tell: (signal: McpSignal) => void
  ): Effect.Effect<void, never, Scope.Scope>
}>()("@coppice/core/mcp-session/McpSessionStore") {}
