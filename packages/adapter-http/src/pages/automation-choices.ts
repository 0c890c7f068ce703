import { type Agent, type Host, type HostId, listAgents, listHosts, listProjects, listWorkspaces, type Project, type Workspace } from "@coppice/core"
import { Effect } from "effect"
import { inertLine } from "./inert-text.ts"

/** What can be chosen in an automation's form. */
export interface AutomationChoices {
  readonly projects: ReadonlyArray<Project>
  readonly agents: ReadonlyArray<{ readonly value: string; readonly text: string }>
  /** Agents that are configured and cannot be used now, each with the reason. */
  readonly unusable: ReadonlyArray<string>
  readonly workspaces: ReadonlyArray<Workspace>
}

const most = { limit: 100 }

/** A host's agents; of one that is away, those that could be used when it was last seen. */
const agentsOf = (host: Host) =>
  Effect.map(
    Effect.catch(listAgents(host.id), () =>
      Effect.succeed(host.agents.map((id): Pick<Agent, "id" | "name" | "unavailableReason"> => ({ id, name: id })))),
    (agents) => agents.map((agent) => ({ agent, host }))
  )

/** The choices for a new automation, or for one of a project that is given. */
export const automationChoices = Effect.fnUntraced(function*(project?: Project) {
  const projects = project === undefined ? (yield* listProjects(most)).items : [project]
  const served = new Set<HostId>(projects.map(({ hostId }) => hostId))
  const hosts = (yield* listHosts(most)).items.filter(({ id }) => served.has(id))
  const found = (yield* Effect.forEach(hosts, agentsOf, { concurrency: 4 })).flat()
  const places = hosts.length > 1 ? (id: string) => ` (on ${found.filter(({ agent }) => agent.id === id).map(({ host }) => host.name).join(", ")})` : () => ""
  const usable = found.filter(({ agent }, place) =>
    agent.unavailableReason === undefined && found.findIndex((other) => other.agent.id === agent.id) === place)
  const workspaces = yield* listWorkspaces({ status: "ready", ...project === undefined ? {} : { projectId: project.id } }, most)
  return {
    projects,
    agents: usable.map(({ agent: { id, name } }) => ({ value: id, text: inertLine(name + places(id)) })),
    unusable: found.flatMap(({ agent: { name, unavailableReason } }) =>
      unavailableReason === undefined ? [] : [inertLine(unavailableReason.includes(name) ? unavailableReason : `${name}: ${unavailableReason}`)]),
    workspaces: workspaces.items
  } satisfies AutomationChoices
})
