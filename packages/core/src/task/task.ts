import { Schema } from "effect"
import { OrganizationId, TaskId, TaskStatusId, UserId } from "../id.ts"
import { Name, Text } from "../text.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

/** What a status means, whatever an organization calls it. */
export const TaskStatusType = Schema.Literals(["backlog", "unstarted", "started", "completed", "cancelled"])
export type TaskStatusType = typeof TaskStatusType.Type

/** A column of an organization's board. Its name is unique in the organization. */
export const TaskStatus = Schema.Struct({
  id: TaskStatusId,
  organizationId: OrganizationId,
  name: Name,
  type: TaskStatusType,
  position: Schema.Int.annotate({ description: "Its place among the statuses, from 0" }),
  ...recordTimes
})
export type TaskStatus = typeof TaskStatus.Type

export const TaskPriority = Schema.Literals(["urgent", "high", "medium", "low", "none"])
export type TaskPriority = typeof TaskPriority.Type

/** A short word to find tasks by. */
export const Label = Name.check(Schema.isMaxLength(50))

export const Labels = Schema.Array(Label).check(Schema.isUnique(), Schema.isMaxLength(20))

/** How much work it is, in points; what a point is, each organization knows for itself. */
export const Estimate = Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1000))

/** A piece of work that somebody wants done, by a person or by agents in workspaces. */
export const Task = Schema.Struct({
  id: TaskId,
  organizationId: OrganizationId,
  slug: Schema.String.annotate({ description: "What it is called for short; it stays when the title changes" }),
  title: Name,
  description: Text,
  statusId: TaskStatusId,
  priority: TaskPriority,
  assigneeId: Schema.optionalKey(UserId).annotate({ description: "User id of the member who takes care of it" }),
  estimate: Schema.optionalKey(Estimate),
  dueAt: Schema.optionalKey(Timestamp),
  labels: Labels,
  ...recordTimes
})
export type Task = typeof Task.Type

/** What of a task may change. `null` takes an optional value away. */
export interface TaskPatch {
  readonly title?: string
  readonly description?: string
  readonly statusId?: TaskStatusId
  readonly priority?: TaskPriority
  readonly assigneeId?: UserId | null
  readonly estimate?: number | null
  readonly dueAt?: Timestamp | null
  readonly labels?: ReadonlyArray<string>
}

/** Which tasks of a list are meant: those that fit all that is given. */
export interface TaskFilter {
  readonly statusIds?: ReadonlyArray<TaskStatusId>
  readonly assigneeId?: UserId
  readonly priority?: TaskPriority
  readonly label?: string
  /** What the title holds, letter case aside. */
  readonly search?: string
}
