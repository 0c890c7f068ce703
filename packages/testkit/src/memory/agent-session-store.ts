import { agentSessionLifecycle, isFinal } from "@coppice/core"
import { AgentSessionStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert, owned, pageOf, patched } from "./table.ts"

export const agentSessionStoreMemory = Layer.effect(
  AgentSessionStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    return AgentSessionStore.of({
      create: (session) => step(() => insert(database.agentSessions, session.id, session)),
      get: (organizationId, id) =>
        step(() => owned(database.agentSessions.values(), organizationId).find((session) => session.id === id)),
      list: (organizationId, { workspaceId }, page) =>
        step(() =>
          pageOf(
            owned(database.agentSessions.values(), organizationId).filter((session) =>
              workspaceId === undefined || session.workspaceId === workspaceId
            ),
            page
          )
        ),
      transition: (organizationId, id, from, to, patch, at) =>
        step(() => {
          const session = database.agentSessions.get(id)
          if (session?.organizationId !== organizationId || !from.includes(session.status)) return undefined
          const fields = ["exitCode", "failure", "startedAt", "endedAt"] as const
          const moved = { ...patched(session, patch, fields), status: to, updatedAt: at }
          database.agentSessions.set(id, moved)
          return moved
        }),
      unsettled: (machineId) =>
        step(() =>
          [...database.agentSessions.values()].filter((session) => {
            const workspace = database.workspaces.get(session.workspaceId)
            const host = workspace === undefined ? undefined : database.hosts.get(workspace.hostId)
            return host?.machineId === machineId && !isFinal(agentSessionLifecycle, session.status)
          })
        )
    })
  })
)
