import type { PromptDelivery } from "@coppice/core"

/** A coding agent, as the operator's configuration file describes it in `agents`. */
export interface AgentConfig {
  readonly id: string
  readonly name: string
  /** The program and its arguments; `{promptFile}` and `{prompt}` are replaced where `prompt` says so. */
  readonly command: ReadonlyArray<string>
  readonly prompt: PromptDelivery
  readonly env?: {
    /** Names of variables of the service's own environment that it gets too. */
    readonly pass?: ReadonlyArray<string>
    readonly set?: Readonly<Record<string, string>>
  }
  readonly timeoutSeconds?: number
}

/** What is replaced in the command of an agent that does not read its prompt from standard input. */
export const placeholders = { stdin: undefined, file: "{promptFile}", argument: "{prompt}" } as const

/** What is wrong with a configuration, as far as it can be told without looking at the machine. */
export const configProblem = (agent: AgentConfig): string | undefined => {
  const placeholder = placeholders[agent.prompt]
  if (agent.command.length === 0) return "its command is empty"
  if (placeholder !== undefined && !agent.command.slice(1).some((argument) => argument.includes(placeholder))) {
    return `its command has no ${placeholder} for the prompt`
  }
  return undefined
}
