import { isUtf8 } from "node:buffer"
import type { AgentConfig } from "./agent-config.ts"
import { placeholders } from "./agent-config.ts"

/** An argument over 128 KiB cannot be passed on Linux; what is over 100 KiB goes by file, so that there is room for the rest. */
const maxArgumentBytes = 100 * 1024

/** How a prompt reaches an agent: what is in its command, in the file, and on standard input. */
export interface Delivery {
  readonly args: ReadonlyArray<string>
  readonly file?: Uint8Array
  readonly input?: Uint8Array
}

const fitsArgument = (prompt: Uint8Array): boolean =>
  prompt.length <= maxArgumentBytes && !prompt.includes(0) && isUtf8(prompt)

/** Puts a prompt into an agent's command. What it says is never looked at, only moved. */
export const deliver = (agent: AgentConfig, prompt: Uint8Array, promptFile: string): Delivery => {
  const args = agent.command.slice(1)
  const placeholder = placeholders[agent.prompt]
  if (placeholder === undefined) return { args, input: prompt }
  const byFile = agent.prompt === "file" || !fitsArgument(prompt)
  const value = byFile ? promptFile : Buffer.from(prompt).toString("utf8")
  return {
    args: args.map((argument) => argument.split(placeholder).join(value)),
    ...(byFile && { file: prompt })
  }
}
