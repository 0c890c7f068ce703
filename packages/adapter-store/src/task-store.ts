import { Task, titleKey } from "@coppice/core"
import { TaskStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { conflictOn } from "./conflict.ts"
import { arrayParameter } from "./postgres.ts"
import { columns, escapeText, instant, pageBounds, pageOf, present, recordOf, reference, textArray } from "./record.ts"

const toTask = recordOf(Task)

const changeable = ["title", "description", "statusId", "priority", "assigneeId", "estimate"] as const

/** Tasks. `title_key` is written with each title, and never read into a record. */
export const taskStoreLayer = Layer.effect(
  TaskStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return TaskStore.of({
      create: Effect.fn("TaskStore.create")(function*(task) {
        yield* sql`INSERT INTO tasks ${
          sql.insert(columns({
            id: task.id,
            organizationId: task.organizationId,
            slug: task.slug,
            title: task.title,
            titleKey: titleKey(task.title),
            description: task.description,
            statusId: task.statusId,
            priority: task.priority,
            assigneeId: task.assigneeId,
            estimate: task.estimate,
            dueAt: instant(task.dueAt),
            labels: textArray(task.labels),
            createdAt: instant(task.createdAt),
            updatedAt: instant(task.updatedAt)
          }))
        }`.pipe(conflictOn("tasks_slug_taken", `The slug "${task.slug}" is taken by another task.`, "Try it again."))
      }),
      get: Effect.fn("TaskStore.get")(function*(organizationId, idOrSlug) {
        const { id, name } = reference(idOrSlug)
        const [row] = yield* sql`
          SELECT * FROM tasks WHERE organization_id = ${organizationId} AND (id = ${id} OR slug = ${name})
          ORDER BY id = ${id} DESC NULLS LAST LIMIT 1`
        return row === undefined ? undefined : toTask(row)
      }, Effect.orDie),
      list: Effect.fn("TaskStore.list")(function*(organizationId, filter, page) {
        const { before, fetch } = pageBounds(page)
        const { assigneeId, label, priority, search, statusIds } = filter
        const rows = yield* sql`
          SELECT * FROM tasks
          WHERE ${
          sql.and([
            sql`organization_id = ${organizationId}`,
            sql`id < ${before}`,
            ...(statusIds === undefined ? [] : [sql`status_id = ANY(${arrayParameter.uuid(statusIds)})`]),
            ...(assigneeId === undefined ? [] : [sql`assignee_id = ${assigneeId}`]),
            ...(priority === undefined ? [] : [sql`priority = ${priority}`]),
            ...(label === undefined ? [] : [sql`${escapeText(label)} = ANY(labels)`]),
            ...(search === undefined ? [] : [sql`strpos(title_key, ${escapeText(titleKey(search))}) > 0`])
          ])
        } ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toTask), page)
      }, Effect.orDie),
      update: Effect.fn("TaskStore.update")(function*(organizationId, id, patch, at) {
        const { dueAt, labels, title } = patch
        const changes = {
          ...present(patch, changeable),
          ...(title === undefined ? {} : { titleKey: titleKey(title) }),
          ...(dueAt === undefined ? {} : { dueAt: dueAt === null ? null : instant(dueAt) }),
          ...(labels === undefined ? {} : { labels: textArray(labels) }),
          updatedAt: instant(at)
        }
        const [row] = yield* sql`
          UPDATE tasks SET ${sql.update(columns(changes))}
          WHERE organization_id = ${organizationId} AND id = ${id} RETURNING *`
        return row === undefined ? undefined : toTask(row)
      }, Effect.orDie),
      remove: Effect.fn("TaskStore.remove")(function*(organizationId, id) {
        const rows = yield* sql`DELETE FROM tasks WHERE organization_id = ${organizationId} AND id = ${id} RETURNING id`
        return rows.length === 1
      }, Effect.orDie)
    })
  })
)
