import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganizationId } from "../id.ts"
import type { TaskStatus } from "./task.ts"

/** The statuses that an organization's tasks can have. */
export class TaskStatusStore extends Context.Service<TaskStatusStore, {
  /** In order of their positions; none when nothing was seeded yet. */
  list(organizationId: OrganizationId): Effect.Effect<ReadonlyArray<TaskStatus>>
  /**
   * Stores these in one step unless the organization has any, and answers what it then has, in order of positions. Of
   * several callers at once one is the first, and all answer its statuses.
   */
  seed(organizationId: OrganizationId, statuses: ReadonlyArray<TaskStatus>): Effect.Effect<ReadonlyArray<TaskStatus>>
}>()("@coppice/core/task/TaskStatusStore") {}
