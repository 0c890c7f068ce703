import type { Effect } from "effect"
import { Context } from "effect"
import type { Conflict } from "../error.ts"
import type { OrganizationId, TaskId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Task, TaskFilter, TaskPatch } from "./task.ts"

/** Tasks; their slugs are unique in an organization. Status and assignee are the organization's own. */
export class TaskStore extends Context.Service<TaskStore, {
  /** Fails with `Conflict` while the slug is taken. */
  create(task: Task): Effect.Effect<void, Conflict>
  /** By id or by slug; `undefined` when the organization has none. */
  get(organizationId: OrganizationId, idOrSlug: string): Effect.Effect<Task | undefined>
  /** Those that fit all of the filter, newest first. */
  list(organizationId: OrganizationId, filter: TaskFilter, page: PageRequest): Effect.Effect<Page<Task>>
  /** The task after the patch, or `undefined`. Patches that come at once are all applied; the slug stays. */
  update(organizationId: OrganizationId, id: TaskId, patch: TaskPatch, at: Timestamp): Effect.Effect<Task | undefined>
  /** Removes it, and answers whether it was there. Its workspaces stay, and are no longer of a task. */
  remove(organizationId: OrganizationId, id: TaskId): Effect.Effect<boolean>
}>()("@coppice/core/task/TaskStore") {}
