import { type OrganizationId, TaskStatus } from "@coppice/core"
import { TaskStatusStore } from "@coppice/core/ports"
import { Array as Arr, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { columns, instant, recordOf } from "./record.ts"

const toStatus = recordOf(TaskStatus)

export const taskStatusStoreLayer = Layer.effect(
  TaskStatusStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const list = (organizationId: OrganizationId) =>
      Effect.map(
        sql`SELECT * FROM task_statuses WHERE organization_id = ${organizationId} ORDER BY position, id`,
        (rows) => rows.map(toStatus)
      )
    return TaskStatusStore.of({
      list: Effect.fn("TaskStatusStore.list")(list, Effect.orDie),
      seed: Effect.fn("TaskStatusStore.seed")(function*(organizationId, statuses) {
        // The lock comes first, in a statement of its own: whoever waits for it sees what was seeded meanwhile.
        yield* sql`SELECT FROM organizations WHERE id = ${organizationId} FOR NO KEY UPDATE`
        const before = yield* list(organizationId)
        if (before.length > 0 || !Arr.isReadonlyArrayNonEmpty(statuses)) return before
        yield* sql`INSERT INTO task_statuses ${
          sql.insert(Arr.map(statuses, (status) =>
            columns({
              id: status.id,
              organizationId,
              name: status.name,
              type: status.type,
              position: status.position,
              createdAt: instant(status.createdAt),
              updatedAt: instant(status.updatedAt)
            })
          ))
        }`
        return yield* list(organizationId)
      }, sql.withTransaction, Effect.orDie)
    })
  })
)
