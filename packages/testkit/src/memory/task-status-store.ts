import type { OrganizationId } from "@coppice/core"
import { TaskStatusStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert, owned } from "./table.ts"

export const taskStatusStoreMemory = Layer.effect(
  TaskStatusStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const all = (organizationId: OrganizationId) =>
      owned(database.taskStatuses.values(), organizationId).toSorted((left, right) => left.position - right.position)
    return TaskStatusStore.of({
      list: (organizationId) => step(() => all(organizationId)),
      seed: (organizationId, statuses) =>
        step(() => {
          if (all(organizationId).length === 0) {
            for (const status of statuses) insert(database.taskStatuses, status.id, status)
          }
          return all(organizationId)
        })
    })
  })
)
