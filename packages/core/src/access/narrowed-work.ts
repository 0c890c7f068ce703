import { Effect } from "effect"
import type { AgentSessionStore } from "../agent-session/agent-session-store.ts"
import type { AgentSession } from "../agent-session/agent-session.ts"
import type { ProjectStore } from "../project/project-store.ts"
import type { WorkspaceStore } from "../workspace/workspace-store.ts"
import { ifSeen, outside, seen, seenPage, sees, type View } from "./view.ts"
import { visiblePage } from "./visible-page.ts"

type Projects = ProjectStore["Service"]
type Workspaces = WorkspaceStore["Service"]
type Sessions = AgentSessionStore["Service"]

export const narrowedProjects = (store: Projects, view: View): Projects => {
  const isSeen = (project: { readonly id: string }) => [...view.projectIds].some((id) => id === project.id)
  const get: Projects["get"] = (organizationId, idOrName) =>
    Effect.map(store.get(organizationId, idOrName), (project) => project && isSeen(project) ? project : undefined)
  return {
    create: () => outside,
    get,
    list: (organizationId, page) => visiblePage(page, (page) => store.list(organizationId, page), isSeen),
    update: (organizationId, id, ...rest) =>
      ifSeen(get(organizationId, id), () => store.update(organizationId, id, ...rest), undefined),
    remove: (organizationId, id) => ifSeen(get(organizationId, id), () => store.remove(organizationId, id), false)
  }
}

export const narrowedWorkspaces = (store: Workspaces, view: View): Workspaces => {
  const get: Workspaces["get"] = (organizationId, idOrName) => seen(view, store.get(organizationId, idOrName))
  return {
    create: (workspace) => sees(view)(workspace) ? store.create(workspace) : outside,
    get,
    list: (organizationId, filter, page) =>
      seenPage(view, page, (page) => store.list(organizationId, { ...view.only, ...filter }, page)),
    rename: (organizationId, id, ...rest) =>
      ifSeen(get(organizationId, id), () => store.rename(organizationId, id, ...rest), undefined),
    transition: (organizationId, id, ...rest) =>
      ifSeen(get(organizationId, id), () => store.transition(organizationId, id, ...rest), undefined),
    unsettled: (machineId) => Effect.map(store.unsettled(machineId), (all) => all.filter(sees(view)))
  }
}

/** A session is of the project that its workspace is of. */
export const narrowedAgentSessions = (store: Sessions, view: View, workspaces: Workspaces): Sessions => {
  const isSeen = ({ organizationId, workspaceId }: Pick<AgentSession, "organizationId" | "workspaceId">) =>
    Effect.map(seen(view, workspaces.get(organizationId, workspaceId)), (workspace) => workspace !== undefined)
  const get: Sessions["get"] = (organizationId, id) =>
    Effect.flatMap(store.get(organizationId, id), (session) =>
      session === undefined ? Effect.undefined : Effect.map(isSeen(session), (visible) => visible ? session : undefined))
  return {
    create: (session) => Effect.flatMap(isSeen(session), (visible) => visible ? store.create(session) : outside),
    get,
    list: Effect.fnUntraced(function*(organizationId, filter, page) {
      const { items, ...rest } = yield* store.list(organizationId, filter, page)
      return { items: yield* Effect.filter(items, isSeen), ...rest }
    }),
    transition: (organizationId, id, ...rest) =>
      ifSeen(get(organizationId, id), () => store.transition(organizationId, id, ...rest), undefined),
    unsettled: (machineId) => Effect.flatMap(store.unsettled(machineId), (all) => Effect.filter(all, isSeen))
  }
}
