import type { Effect } from "effect"
import { Context } from "effect"
import type { McpSessionId } from "./mcp-session.ts"

/**
 * What the server asks the clients of MCP sessions: the answer may come to another replica than the one that asked. A
 * question has a key of up to 64 visible characters, and ends with its session.
 */
export class McpQuestionStore extends Context.Service<McpQuestionStore, {
  /** Opens a question. Nothing happens for a session that is over. */
  open(id: McpSessionId, key: string): Effect.Effect<void>
  /**
   * Keeps the answer (JSON) to an open question, and tells those who listen to the session. Answers false, and did
   * nothing, when there is no such question or it has its answer: of several callers one is true.
   */
  answer(id: McpSessionId, key: string, json: string): Effect.Effect<boolean>
  /** The question, with its answer if that has come. `undefined` when there is none. */
  look(id: McpSessionId, key: string): Effect.Effect<{ readonly answer?: string } | undefined>
  /** Closes a question, and forgets its answer. */
  close(id: McpSessionId, key: string): Effect.Effect<void>
}>()("@coppice/core/mcp-session/McpQuestionStore") {}
