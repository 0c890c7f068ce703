import type { Launch } from "@coppice/core"
import { Effect } from "effect"
import type { Changes } from "./git.ts"

/** What a scripted agent can do while it runs. */
export interface FakeAgent {
  readonly launch: Launch
  /** Its prompt, as text. */
  readonly prompt: string
  readonly print: (text: string, stream?: "stdout" | "stderr") => Effect.Effect<void>
  /** Output that was lost because it came too fast. */
  readonly drop: (bytes: number) => Effect.Effect<void>
  /** Changes files of its worktree. */
  readonly change: (changes: Changes) => Effect.Effect<void>
  /** Commits what it changed. */
  readonly commit: Effect.Effect<void>
}

/** How an agent's process ended. */
export type AgentExit = { readonly exitCode: number } | { readonly signal: string }

/** What an agent does from its start to its end. */
export type AgentScript = (agent: FakeAgent) => Effect.Effect<AgentExit>

/** Prints, and exits with a code. */
export const exits = (exitCode: number, ...output: ReadonlyArray<string>): AgentScript => ({ print }) =>
  Effect.as(Effect.forEach(output, (text) => print(text), { discard: true }), { exitCode })

/** Is ended by a signal that the service did not send. */
export const dies = (signal: string): AgentScript => () => Effect.succeed({ signal })

/** Prints `at work`, and works until it is stopped. */
export const hangs: AgentScript = ({ print }) => Effect.andThen(print("at work\n"), Effect.never)

/** Prints its prompt, as an agent that reads it from standard input, and exits. */
export const echoes: AgentScript = ({ print, prompt }) => Effect.as(print(prompt), { exitCode: 0 })

/** Does nothing for a while, then exits. */
export const takes = (millis: number, exitCode = 0): AgentScript => () => Effect.as(Effect.sleep(millis), { exitCode })
