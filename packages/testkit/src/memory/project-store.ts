import { Conflict, type Project } from "@coppice/core"
import { ProjectStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { find, insert, nameTaken, owned, pageOf, patched } from "./table.ts"

export const projectStoreMemory = Layer.effect(
  ProjectStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const taken = ({ id, organizationId }: Project, name: string | undefined) =>
      owned(database.projects.values(), organizationId).some((other) => other.name === name && other.id !== id)
    return ProjectStore.of({
      create: (project) =>
        step(() =>
          taken(project, project.name)
            ? nameTaken("project", project.name)
            : insert(database.projects, project.id, project)
        ),
      get: (organizationId, idOrName) => step(() => find(owned(database.projects.values(), organizationId), idOrName)),
      list: (organizationId, page) => step(() => pageOf(owned(database.projects.values(), organizationId), page)),
      update: (organizationId, id, patch, at) =>
        step(() => {
          const project = database.projects.get(id)
          if (project?.organizationId !== organizationId) return undefined
          if (patch.name !== undefined && taken(project, patch.name)) return nameTaken("project", patch.name)
          const updated = { ...patched(project, patch, ["name", "baseBranch", "setup", "trusted"]), updatedAt: at }
          database.projects.set(id, updated)
          return updated
        }),
      remove: (organizationId, id) =>
        step(() => {
          if (database.projects.get(id)?.organizationId !== organizationId) return false
          const workspaces = [...database.workspaces.values()].filter((workspace) => workspace.projectId === id)
          const automated = [...database.automations.values()].some(({ automation }) => automation.projectId === id)
          if (automated || workspaces.some((workspace) => workspace.status !== "deleted")) {
            return Effect.fail(
              new Conflict({
                message: "The project still has automations or workspaces.",
                hint: "Delete its automations and workspaces first."
              })
            )
          }
          const gone = new Set(workspaces.map((workspace) => workspace.id))
          for (const workspaceId of gone) database.workspaces.delete(workspaceId)
          for (const session of database.agentSessions.values()) {
            if (gone.has(session.workspaceId)) database.agentSessions.delete(session.id)
          }
          return database.projects.delete(id)
        })
    })
  })
)
