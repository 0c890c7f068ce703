import type { Effect } from "effect"
import type { Content } from "../tool/content.ts"
import type { ToolFailure } from "../tool/tool.ts"

/** One thing that is said in a prompt. */
export interface PromptMessage {
  readonly role: "user" | "assistant"
  readonly content: Content
}

/** A beginning of a conversation, which people choose in an MCP client. */
export interface Prompt<R = never> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly description: string; readonly required: boolean }>
  /** What it says with these arguments; the required ones are there. */
  readonly get: (args: { readonly [name: string]: string }) => Effect.Effect<ReadonlyArray<PromptMessage>, ToolFailure, R>
}
