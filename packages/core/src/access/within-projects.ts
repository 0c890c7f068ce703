import { Context, Effect, Option } from "effect"
import { AgentSessionStore } from "../agent-session/agent-session-store.ts"
import { AutomationStore } from "../automation/automation-store.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import { ProjectStore } from "../project/project-store.ts"
import { RunEventStore } from "../run/run-event-store.ts"
import { RunQueue } from "../run/run-queue.ts"
import { RunStore } from "../run/run-store.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import { narrowedAutomations, narrowedQueue, narrowedRunEvents, narrowedRuns } from "./narrowed-runs.ts"
import { narrowedAgentSessions, narrowedProjects, narrowedWorkspaces } from "./narrowed-work.ts"
import { makeView, type View } from "./view.ts"

/** The ports whose records are of projects. Tasks, statuses, members and hosts are the organization's, and of no project. */
export type ProjectPorts =
  | AgentSessionStore
  | AutomationStore
  | ProjectStore
  | RunEventStore
  | RunQueue
  | RunStore
  | WorkspaceStore

type Ports = Context.Context<ProjectPorts>

/** Puts a port that shows less in the place of one that is there. */
const narrowed = <Self, Service>(
  port: Context.Key<Self, Service>,
  narrow: (service: Service, view: View, ports: Ports) => Service
) =>
(into: Ports, ports: Ports, view: View): Ports =>
  Option.match(Context.getOption(ports, port), {
    onNone: () => into,
    onSome: (service) => Context.add(into, port as Context.Key<never, Service>, narrow(service, view, ports))
  })

const narrowings = [
  narrowed(ProjectStore, narrowedProjects),
  narrowed(WorkspaceStore, narrowedWorkspaces),
  narrowed(AgentSessionStore, (store, view, ports) =>
    narrowedAgentSessions(store, view, Context.get(ports, WorkspaceStore))),
  narrowed(AutomationStore, narrowedAutomations),
  narrowed(RunStore, (store, view, ports) => narrowedRuns(store, view, Context.get(ports, AutomationStore))),
  narrowed(RunEventStore, (store, view, ports) => narrowedRunEvents(store, view, Context.get(ports, RunStore))),
  narrowed(RunQueue, narrowedQueue)
]

/**
 * Has whoever acts with a credential for some projects see only these: what is of another project is not there, in lists
 * and by id or name, and nothing is done to it. Whoever has all projects sees all.
 */
export const withinProjects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | CurrentPrincipal> =>
  Effect.flatMap(CurrentPrincipal, ({ projectIds }): Effect.Effect<A, E, R> => {
    if (projectIds === undefined) return effect
    const view = makeView(projectIds)
    return Effect.updateContext(effect, (context: Context.Context<R>) => {
      const ports = context as unknown as Ports
      return narrowings.reduce((into, narrow) => narrow(into, ports, view), ports) as unknown as Context.Context<R>
    })
  })
