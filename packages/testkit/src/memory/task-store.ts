import { Conflict, type Task, titleKey } from "@coppice/core"
import { TaskStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert, owned, pageOf, patched, without } from "./table.ts"

const changeable = ["title", "description", "statusId", "priority", "assigneeId", "estimate", "dueAt", "labels"] as const

export const taskStoreMemory = Layer.effect(
  TaskStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const all = (organizationId: Task["organizationId"]) => owned(database.tasks.values(), organizationId)
    return TaskStore.of({
      create: (task) =>
        step(() =>
          all(task.organizationId).some(({ slug }) => slug === task.slug)
            ? Effect.fail(new Conflict({ message: `The slug "${task.slug}" is taken by another task.`, hint: "Try it again." }))
            : insert(database.tasks, task.id, task)
        ),
      get: (organizationId, idOrSlug) =>
        step(() => {
          const rows = all(organizationId)
          return rows.find(({ id }) => id === idOrSlug) ?? rows.find(({ slug }) => slug === idOrSlug)
        }),
      list: (organizationId, { assigneeId, label, priority, search, statusIds }, page) =>
        step(() =>
          pageOf(
            all(organizationId).filter((task) =>
              (statusIds === undefined || statusIds.includes(task.statusId)) &&
              (assigneeId === undefined || task.assigneeId === assigneeId) &&
              (priority === undefined || task.priority === priority) &&
              (label === undefined || task.labels.includes(label)) &&
              (search === undefined || titleKey(task.title).includes(titleKey(search)))
            ),
            page
          )
        ),
      update: (organizationId, id, patch, at) =>
        step(() => {
          const task = database.tasks.get(id)
          if (task?.organizationId !== organizationId) return undefined
          const updated: Task = { ...patched(task, patch, changeable), updatedAt: at }
          database.tasks.set(id, updated)
          return updated
        }),
      remove: (organizationId, id) =>
        step(() => {
          if (database.tasks.get(id)?.organizationId !== organizationId) return false
          for (const workspace of database.workspaces.values()) {
            if (workspace.taskId === id) database.workspaces.set(workspace.id, without(workspace, "taskId"))
          }
          return database.tasks.delete(id)
        })
    })
  })
)
