import { type Automation, Conflict, hasEnded } from "@coppice/core"
import { AutomationStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, signal, step } from "./memory-database.ts"
import { find, insert, nameTaken, owned, pageOf, patched } from "./table.ts"

const changeable = [
  "name",
  "prompt",
  "agent",
  "workspaceMode",
  "workspaceId",
  "timeoutSeconds",
  "maxConcurrentRuns",
  "maxAttempts"
] as const

export const automationStoreMemory = Layer.effect(
  AutomationStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const all = (organizationId: Automation["organizationId"]) =>
      owned([...database.automations.values()].map(({ automation }) => automation), organizationId)
    const mine = (organizationId: Automation["organizationId"], id: Automation["id"]) => {
      const row = database.automations.get(id)
      return row?.automation.organizationId === organizationId ? row : undefined
    }
    const taken = ({ id, organizationId }: Automation, name: string) =>
      all(organizationId).some((other) => other.name === name && other.id !== id)
    return AutomationStore.of({
      create: (automation) =>
        step(() =>
          taken(automation, automation.name)
            ? nameTaken("automation", automation.name)
            : insert(database.automations, automation.id, { automation })
        ),
      get: (organizationId, idOrName) => step(() => find(all(organizationId), idOrName)),
      list: (organizationId, { projectId, status }, page) =>
        step(() =>
          pageOf(
            all(organizationId).filter((automation) =>
              (projectId === undefined || automation.projectId === projectId) &&
              (status === undefined || automation.status === status)
            ),
            page
          )
        ),
      update: (organizationId, id, { status, ...patch }, at) =>
        step(() => {
          const row = mine(organizationId, id)
          if (row === undefined || (status !== undefined && row.automation.status !== status.from)) return undefined
          if (patch.name !== undefined && taken(row.automation, patch.name)) return nameTaken("automation", patch.name)
          const automation = {
            ...patched(row.automation, patch, changeable),
            ...(status === undefined ? {} : { status: status.to }),
            updatedAt: at
          }
          database.automations.set(id, { ...row, automation })
          signal(database)
          return automation
        }),
      rotateWebhookToken: (organizationId, id, tokenHash, at) =>
        step(() => {
          const row = mine(organizationId, id)
          if (row === undefined) return false
          database.automations.set(id, { automation: { ...row.automation, webhookTokenAt: at, updatedAt: at }, tokenHash })
          return true
        }),
      remove: (organizationId, id) =>
        step(() => {
          if (mine(organizationId, id) === undefined) return false
          const runs = [...database.runs.values()].map(({ run }) => run).filter((run) => run.automationId === id)
          if (runs.some((run) => !hasEnded(run.status))) {
            return Effect.fail(
              new Conflict({
                message: "The automation still has runs that have not ended.",
                hint: "Cancel its runs, or wait for them to end."
              })
            )
          }
          for (const run of runs) {
            database.runs.delete(run.id)
            database.journals.delete(run.id)
          }
          return database.automations.delete(id)
        })
    })
  })
)
