import type { TaskRecord, TaskStatusRecord } from "../answers.ts"
import { type Command, given, type Input, type Option, type Session, UsageError } from "../command.ts"
import { details, relative, table } from "../text.ts"
import { listAll } from "./lists.ts"

const task = { name: "TASK", about: "the task's id or slug" }

const fields: Readonly<Record<string, Option>> = {
  description: { value: "TEXT", about: "All that is to be said about it" },
  status: { value: "STATUS", about: "Name or id of a status" },
  priority: { value: "urgent|high|medium|low|none", about: "How pressing it is" },
  assignee: { value: "EMAIL", about: "The member who takes care of it" },
  estimate: { value: "POINTS", about: "How much work it is" },
  due: { value: "TIME", about: "When it must be done, as 2026-01-02T03:04:05Z" },
  label: { value: "LABEL", multiple: true, about: "A word to find it by" }
}

const points = (text: string): number => {
  const number = text.trim() === "" ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw new UsageError(`--estimate takes a number, and "${text}" is none.`)
}

/** What was given of a task's fields, each as the tools call it. */
const fieldsOf = (input: Input) => {
  const estimate = input.text("estimate")
  const labels = input.texts("label")
  return {
    title: input.text("title"),
    description: input.text("description"),
    statusId: input.text("status"),
    priority: input.text("priority"),
    assigneeId: input.text("assignee"),
    estimate: estimate === undefined ? undefined : points(estimate),
    dueAt: input.text("due"),
    labels: labels.length === 0 ? undefined : labels
  }
}

const clearable = { assignee: "assigneeId", estimate: "estimate", due: "dueAt", labels: "labels" } as const

/** What `--clear` takes away. */
const cleared = (input: Input) =>
  Object.fromEntries(input.texts("clear").map((name) => {
    const field = clearable[name as keyof typeof clearable]
    if (field === undefined) throw new UsageError(`--clear takes one of ${Object.keys(clearable).join(", ")}, and not "${name}".`)
    return [field, field === "labels" ? [] : null]
  }))

const statusNames = async (session: Session): Promise<(task: TaskRecord) => string> => {
  const statuses: ReadonlyArray<TaskStatusRecord> = await listAll(session, "task_statuses_list", "taskStatuses")
  return ({ statusId }) => statuses.find(({ id }) => id === statusId)?.name ?? statusId
}

export const tasksList: Command = {
  name: "tasks list",
  summary: "List the tasks",
  options: {
    status: { value: "STATUS", about: "Only those with this status, by name or id" },
    assignee: { value: "EMAIL", about: "Only those of this member" },
    priority: { value: "PRIORITY", about: "Only those of this priority" },
    label: { value: "LABEL", about: "Only those with this label" },
    search: { value: "TEXT", about: "Only those whose title holds this" }
  },
  run: async ({ input, session }) => {
    const tasks = await listAll(session, "tasks_list", "tasks", given({
      statusId: input.text("status"),
      assigneeId: input.text("assignee"),
      priority: input.text("priority"),
      label: input.text("label"),
      search: input.text("search")
    }))
    const statusOf = await statusNames(session)
    return {
      json: { tasks },
      text: tasks.length === 0
        ? "There is no such task. Create one: npm run coppice -- tasks create --title TITLE"
        : table(["SLUG", "STATUS", "PRIORITY", "CREATED", "TITLE"], tasks.map((task) =>
          [task.slug, statusOf(task), task.priority, relative(task.createdAt), task.title]))
    }
  }
}

export const tasksShow: Command = {
  name: "tasks show",
  summary: "Show a task",
  positionals: [task],
  run: async ({ input, session }) => {
    const json = await session.call("tasks_get", { taskId: input.positionals[0] })
    const { task } = json
    return {
      json,
      text: details([
        ["id", task.id],
        ["slug", task.slug],
        ["title", task.title],
        ["status", (await statusNames(session))(task)],
        ["priority", task.priority],
        ["assignee", task.assigneeId],
        ["estimate", task.estimate],
        ["due", task.dueAt],
        ["labels", task.labels.length === 0 ? undefined : task.labels.join(", ")],
        ["created", task.createdAt],
        ["description", task.description === "" ? undefined : task.description]
      ])
    }
  }
}

export const tasksCreate: Command = {
  name: "tasks create",
  summary: "Create a task",
  options: { title: { value: "TITLE", required: true, about: "What is to be done, in one line" }, ...fields },
  run: async ({ input, session }) => {
    const json = await session.call("tasks_create", given(fieldsOf(input)))
    return { json, text: `The task "${json.task.title}" is ${json.task.slug}.` }
  }
}

export const tasksUpdate: Command = {
  name: "tasks update",
  summary: "Change a task; what is left out stays",
  positionals: [task],
  options: {
    title: { value: "TITLE", about: "What is to be done, in one line" },
    ...fields,
    clear: { value: Object.keys(clearable).join("|"), multiple: true, about: "Takes that away" }
  },
  run: async ({ input, session }) => {
    const patch = { ...fieldsOf(input), ...cleared(input) }
    const json = await session.call("tasks_update", given({ taskId: input.positionals[0], ...patch }))
    return { json, text: `The task ${json.task.slug} is changed.` }
  }
}

export const tasksDelete: Command = {
  name: "tasks delete",
  summary: "Delete a task; the workspaces that were made for it stay",
  positionals: [task],
  run: async ({ input, session }) => {
    const json = await session.call("tasks_delete", { taskId: input.positionals[0] })
    return { json, text: `The task ${json.task.slug} is deleted.` }
  }
}
