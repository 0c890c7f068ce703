import type { Workspace } from "@coppice/core"
import { WorkspaceStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { find, insert, nameTaken, owned, pageOf, patched, without } from "./table.ts"

const isThere = (workspace: Workspace): boolean => workspace.status !== "deleted"

export const workspaceStoreMemory = Layer.effect(
  WorkspaceStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const taken = ({ id, projectId }: Workspace, name: string) =>
      [...database.workspaces.values()].some((other) =>
        other.projectId === projectId && other.name === name && other.id !== id && isThere(other)
      )
    const mine = (organizationId: Workspace["organizationId"], id: Workspace["id"]) => {
      const workspace = database.workspaces.get(id)
      return workspace?.organizationId === organizationId ? workspace : undefined
    }
    return WorkspaceStore.of({
      create: (workspace) =>
        step(() =>
          isThere(workspace) && taken(workspace, workspace.name)
            ? nameTaken("workspace", workspace.name)
            : insert(database.workspaces, workspace.id, workspace)
        ),
      get: (organizationId, idOrName) =>
        step(() => {
          const rows = owned(database.workspaces.values(), organizationId)
          return rows.find(({ id }) => id === idOrName) ?? find(rows.filter(isThere), idOrName)
        }),
      list: (organizationId, { projectId, status, taskId }, page) =>
        step(() =>
          pageOf(
            owned(database.workspaces.values(), organizationId).filter((workspace) =>
              (projectId === undefined || workspace.projectId === projectId) &&
              (taskId === undefined || workspace.taskId === taskId) &&
              (status === undefined ? isThere(workspace) : workspace.status === status)
            ),
            page
          )
        ),
      rename: (organizationId, id, name, at) =>
        step(() => {
          const workspace = mine(organizationId, id)
          if (workspace === undefined) return undefined
          if (isThere(workspace) && taken(workspace, name)) return nameTaken("workspace", name)
          const renamed = { ...workspace, name, updatedAt: at }
          database.workspaces.set(id, renamed)
          return renamed
        }),
      transition: (organizationId, id, from, to, patch, at) =>
        step(() => {
          const workspace = mine(organizationId, id)
          if (workspace === undefined || !from.includes(workspace.status)) return undefined
          const before = to === "failed" ? workspace : without(workspace, "failure")
          const moved: Workspace = {
            ...patched<Workspace, typeof patch>(before, patch, ["baseCommit", "path", "failure"]),
            status: to,
            updatedAt: at
          }
          database.workspaces.set(id, moved)
          return moved
        }),
      unsettled: (machineId) =>
        step(() =>
          [...database.workspaces.values()].filter((workspace) =>
            (workspace.status === "creating" || workspace.status === "deleting") &&
            database.hosts.get(workspace.hostId)?.machineId === machineId
          )
        )
    })
  })
)
