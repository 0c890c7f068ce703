import { getProject, getWorkspace, type Project, requireAgent } from "@coppice/core"
import { Effect } from "effect"
import type { AutomationValues } from "./automation-values.ts"
import type { Faults } from "./form-fields.ts"

const projectOf = (id: string) =>
  id === "" ? Effect.undefined : Effect.catchTag(getProject(id), "NotFound", () => Effect.undefined)

const agentFault = (project: Project, agent: string) =>
  Effect.match(requireAgent(project.hostId, agent), {
    onSuccess: () => undefined,
    onFailure: ({ hint, message }) => hint === undefined ? message : `${message} ${hint}`
  })

const workspaceFault = Effect.fnUntraced(function*(project: Project, { workspaceId, workspaceMode }: AutomationValues) {
  if (workspaceMode !== "reuse" || workspaceId === "") return undefined
  const workspace = yield* Effect.catchTag(getWorkspace(workspaceId), "NotFound", () => Effect.undefined)
  return workspace === undefined
    ? "That workspace is not there any more."
    : workspace.projectId === project.id
    ? undefined
    : "That workspace belongs to another project."
})

/** What is wrong with what the fields refer to, by field. An agent that it has already may be away, or be gone. */
export const referenceFaults = Effect.fnUntraced(function*(values: AutomationValues, presentAgent?: string) {
  const project = yield* projectOf(values.projectId)
  if (project === undefined) return { projectId: "Choose a project." } satisfies Faults
  return {
    agent: values.agent === ""
      ? "Choose an agent."
      : values.agent === presentAgent
      ? undefined
      : yield* agentFault(project, values.agent),
    workspaceId: yield* workspaceFault(project, values)
  } satisfies Faults
})
