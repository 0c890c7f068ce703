import type { Environment } from "../process/environment.ts"
import { cleanPath } from "../process/environment.ts"
import { findProgram } from "../process/program.ts"
import type { AgentConfig } from "./agent-config.ts"
import { configProblem } from "./agent-config.ts"

export type Availability =
  | { readonly _tag: "Found"; readonly program: string }
  | { readonly _tag: "Missing"; readonly reason: string; readonly hint: string }

/** Whether an agent can be started here, and by which program. */
export const availability = async (
  agent: AgentConfig,
  own: Environment,
  excludedPathEntries: ReadonlyArray<string>
): Promise<Availability> => {
  const field = `agents[].command of "${agent.id}" in the configuration file`
  const problem = configProblem(agent)
  if (problem !== undefined) return { _tag: "Missing", reason: `${agent.name} cannot be used: ${problem}.`, hint: `Correct ${field}.` }
  const name = agent.command[0]!
  const path = agent.env?.set?.["PATH"] ?? own["PATH"]
  const program = await findProgram(name, cleanPath(path, excludedPathEntries))
  if (program !== undefined) return { _tag: "Found", program }
  return {
    _tag: "Missing",
    reason: `${agent.name} cannot be used: there is no executable program "${name}"${name.includes("/") ? "" : " on the PATH"}.`,
    hint: `Install it, or correct ${field}: an absolute path, or a name on the PATH of the service.`
  }
}
