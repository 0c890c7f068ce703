import { Effect, Schema } from "effect"
import { PageRequest } from "../page.ts"
import { Name, Reference, Text } from "../text.ts"
import { givenTimestamp } from "../timestamp.ts"
import { defineTool } from "../tool/tool.ts"
import { listTaskStatuses } from "./task-status-usecases.ts"
import { createTask, deleteTask, getTask, listTasks, updateTask } from "./task-usecases.ts"
import { Estimate, Label, Labels, Task, TaskPriority, TaskStatus, TaskStatusType } from "./task.ts"

const taskId = Reference.annotate({ description: "Id or slug of the task" })
const task = { task: Task }

const title = Name.annotate({ description: "What is to be done, in one line" })
const description = Text.annotate({ description: "All that is to be said about it" })
const statusId = Reference.annotate({ description: "Id or name of a status; task_statuses_list shows them" })
const priority = TaskPriority.annotate({ description: "How pressing it is; none when left out" })
const assigneeId = Reference.annotate({ description: "User id or e-mail of the member who takes care of it" })
const estimate = Estimate.annotate({ description: "How much work it is, in points: above 0, at most 1000" })
const dueAt = givenTimestamp("When it must be done, ISO 8601 with Z or an offset")
const labels = Labels.annotate({ description: "Up to 20 short words to find it by" })

export const tasksList = defineTool({
  name: "tasks_list",
  title: "List tasks",
  description: "Lists the tasks of your organization, newest first; every filter narrows the list further.",
  effects: "reads",
  input: {
    statusId: Schema.optionalKey(statusId),
    statusType: Schema.optionalKey(TaskStatusType.annotate({ description: "Only those in a status of this type" })),
    assigneeId: Schema.optionalKey(Reference.annotate({ description: "User id or e-mail of a member: only theirs" })),
    priority: Schema.optionalKey(TaskPriority.annotate({ description: "Only those of this priority" })),
    label: Schema.optionalKey(Label.annotate({ description: "Only those with this label" })),
    search: Schema.optionalKey(
      Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100)).annotate({
        description: "Only those whose title holds this, letter case aside"
      })
    ),
    ...PageRequest.fields
  },
  output: { tasks: Schema.Array(Task), nextCursor: Schema.optionalKey(Schema.String) },
  run: ({ cursor, limit, ...filter }) =>
    Effect.map(
      listTasks(filter, { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) }),
      ({ items, ...rest }) => ({ tasks: items, ...rest })
    )
})

export const tasksGet = defineTool({
  name: "tasks_get",
  title: "Show a task",
  description: "Shows one task.",
  effects: "reads",
  input: { taskId },
  output: task,
  run: ({ taskId }) => Effect.map(getTask(taskId), (task) => ({ task }))
})

export const tasksCreate = defineTool({
  name: "tasks_create",
  title: "Create a task",
  description: "Creates a task; its slug is made of the title and stays.",
  effects: "changes",
  input: {
    title,
    description: Schema.optionalKey(description),
    statusId: Schema.optionalKey(
      Reference.annotate({ description: "Id or name of a status; the first one of task_statuses_list when left out" })
    ),
    priority: Schema.optionalKey(priority),
    assigneeId: Schema.optionalKey(assigneeId),
    estimate: Schema.optionalKey(estimate),
    dueAt: Schema.optionalKey(dueAt),
    labels: Schema.optionalKey(labels)
  },
  output: task,
  run: (input) => Effect.map(createTask(input), (task) => ({ task }))
})

export const tasksUpdate = defineTool({
  name: "tasks_update",
  title: "Change a task",
  description: "Changes a task; what is left out stays, and null takes an optional value away.",
  effects: "changes",
  idempotent: true,
  input: {
    taskId,
    title: Schema.optionalKey(title),
    description: Schema.optionalKey(description),
    statusId: Schema.optionalKey(statusId),
    priority: Schema.optionalKey(TaskPriority.annotate({ description: "How pressing it is" })),
    assigneeId: Schema.optionalKey(
      Schema.NullOr(assigneeId).annotate({ description: "User id or e-mail of the member who takes care of it; null for nobody" })
    ),
    estimate: Schema.optionalKey(Schema.NullOr(estimate).annotate({ description: "How much work it is, in points; null for unknown" })),
    dueAt: Schema.optionalKey(Schema.NullOr(dueAt).annotate({ description: "When it must be done; null for no such time" })),
    labels: Schema.optionalKey(labels.annotate({ description: "All of its labels, in the place of those before" }))
  },
  output: task,
  run: ({ taskId, ...patch }) => Effect.map(updateTask(taskId, patch), (task) => ({ task }))
})

export const tasksDelete = defineTool({
  name: "tasks_delete",
  title: "Delete a task",
  description: "Deletes a task; the workspaces that were made for it stay.",
  effects: "destroys",
  // They are of any project, and are no longer of a task then.
  needsAllProjects: true,
  input: { taskId },
  output: task,
  run: ({ taskId }) => Effect.map(deleteTask(taskId), (task) => ({ task }))
})

export const taskStatusesList = defineTool({
  name: "task_statuses_list",
  title: "List task statuses",
  description: "Lists the statuses that a task can have, in their order, each with what it means.",
  effects: "reads",
  input: PageRequest.fields,
  output: { taskStatuses: Schema.Array(TaskStatus), nextCursor: Schema.optionalKey(Schema.String) },
  run: (page) => Effect.map(listTaskStatuses(page), ({ items, ...rest }) => ({ taskStatuses: items, ...rest }))
})
