import { Effect } from "effect"
import { getMember } from "../organization/organization-usecases.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import { notFound } from "../error.ts"
import { newId, TaskId } from "../id.ts"
import type { PageRequest } from "../page.ts"
import { now, type Timestamp } from "../timestamp.ts"
import { slugFor } from "./task-policy.ts"
import { getTaskStatus, taskStatuses } from "./task-status-usecases.ts"
import { TaskStore } from "./task-store.ts"
import type { Task, TaskFilter, TaskPatch, TaskPriority, TaskStatusType } from "./task.ts"

/** What a caller writes for a status and an assignee: a name and an e-mail address do as well as ids. */
interface References {
  readonly statusId?: string
  readonly assigneeId?: string | null
}

export interface NewTask extends References {
  readonly title: string
  readonly description?: string
  readonly priority?: TaskPriority
  readonly assigneeId?: string
  readonly estimate?: number
  readonly dueAt?: Timestamp
  readonly labels?: ReadonlyArray<string>
}

/** The ids that are meant. What is of another organization is not there. */
const resolve = Effect.fn("resolve")(function*({ assigneeId, statusId }: References) {
  return {
    ...(statusId === undefined ? {} : { statusId: (yield* getTaskStatus(statusId)).id }),
    ...(typeof assigneeId === "string" ? { assigneeId: (yield* getMember(assigneeId)).userId } : {})
  }
})

/** How often a new id is tried while the slug that comes of it is taken: many tasks may have one title. */
const maxSlugRetries = 5

export const createTask = Effect.fn("createTask")(function*(input: NewTask) {
  const { organizationId } = yield* CurrentPrincipal
  const { statusId = (yield* taskStatuses())[0]?.id, ...assignee } = yield* resolve(input)
  if (statusId === undefined) return yield* Effect.die(new Error("An organization must have task statuses"))
  const store = yield* TaskStore
  const create = Effect.gen(function*() {
    const id = yield* newId(TaskId)
    const at = yield* now
    const task: Task = {
      id,
      organizationId,
      slug: slugFor(input.title, id),
      title: input.title,
      description: input.description ?? "",
      statusId,
      priority: input.priority ?? "none",
      ...assignee,
      ...(input.estimate === undefined ? {} : { estimate: input.estimate }),
      ...(input.dueAt === undefined ? {} : { dueAt: input.dueAt }),
      labels: input.labels ?? [],
      createdAt: at,
      updatedAt: at
    }
    yield* store.create(task)
    return task
  })
  return yield* Effect.retry(create, { times: maxSlugRetries })
})

export const getTask = Effect.fn("getTask")(function*(idOrSlug: string) {
  const { organizationId } = yield* CurrentPrincipal
  return (yield* (yield* TaskStore).get(organizationId, idOrSlug)) ?? (yield* notFound("task", idOrSlug))
})

/** The caller's tasks that fit everything given. */
export const listTasks = Effect.fn("listTasks")(function*(
  filter: Omit<TaskFilter, "statusIds" | "assigneeId"> & {
    readonly statusId?: string
    readonly statusType?: TaskStatusType
    readonly assigneeId?: string
  },
  page: PageRequest
) {
  const { organizationId } = yield* CurrentPrincipal
  const { assigneeId: _, statusId: __, statusType, ...rest } = filter
  const { statusId, ...assignee } = yield* resolve(filter)
  const wanted = statusId === undefined && statusType === undefined ? undefined : (yield* taskStatuses()).filter((status) =>
    (statusId === undefined || status.id === statusId) && (statusType === undefined || status.type === statusType)
  )
  const statuses = wanted === undefined ? {} : { statusIds: wanted.map(({ id }) => id) }
  return yield* (yield* TaskStore).list(organizationId, { ...rest, ...statuses, ...assignee }, page)
})

/** Changes a task; `null` takes an optional value away. Its slug stays, so that what refers to it still does. */
export const updateTask = Effect.fn("updateTask")(function*(
  idOrSlug: string,
  patch: Omit<TaskPatch, keyof References> & References
) {
  const task = yield* getTask(idOrSlug)
  const { assigneeId, statusId: _, ...rest } = patch
  const references = { ...(assigneeId === null ? { assigneeId } : {}), ...yield* resolve(patch) }
  const updated = yield* (yield* TaskStore).update(task.organizationId, task.id, { ...rest, ...references }, yield* now)
  return updated ?? (yield* notFound("task", idOrSlug))
})

/** Deletes a task. The workspaces that were made for it stay. */
export const deleteTask = Effect.fn("deleteTask")(function*(idOrSlug: string) {
  const task = yield* getTask(idOrSlug)
  const removed = yield* (yield* TaskStore).remove(task.organizationId, task.id)
  return removed ? task : yield* notFound("task", idOrSlug)
})
