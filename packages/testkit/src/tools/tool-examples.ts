// Arguments for every tool of the catalogue, in a world that has one of everything.
import { Effect } from "effect"

/** Calls a tool, as whoever owns the world. */
// oxlint-disable-next-line typescript/no-explicit-any -- what a tool answers is said by its schema, not by a type
type CallTool<E, R> = (name: string, args: object) => Effect.Effect<any, E, R>

/** What examples name: a host with an agent "reviewer", and on it a project "shop" whose repository has a remote "origin". */
export interface ToolWorld {
  readonly host: { readonly id: string }
  readonly user: { readonly id: string; readonly email: string }
  readonly project: { readonly id: string }
  readonly repositoryPath: string
  readonly taskId: string
  readonly taskSlug: string
  readonly workspaceId: string
  readonly automationId: string
  readonly runId: string
}

/** Makes one of everything in the project, through tools. */
export const furnishToolWorld = Effect.fnUntraced(function*<E, R>(call: CallTool<E, R>) {
  const { workspace } = yield* call("workspaces_create", { projectId: "shop", name: "Work" })
  const { task } = yield* call("tasks_create", { title: "Fix it" })
  const { automation } = yield* call("automations_create", { name: "Review", prompt: "Review it.", agent: "reviewer", projectId: "shop" })
  const { run } = yield* call("automations_run", { automationId: "Review", payload: { pr: 7 } })
  return {
    taskId: task.id as string,
    taskSlug: task.slug as string,
    workspaceId: workspace.id as string,
    automationId: automation.id as string,
    runId: run.id as string
  }
})

export interface ToolExamples {
  /** Arguments that it takes in such a world. Each may change the world, as the tool does. */
  readonly good: (world: ToolWorld) => ReadonlyArray<unknown>
  /** Arguments that it refuses in any. */
  readonly bad: ReadonlyArray<unknown>
}

/** For each tool of the catalogue, in its order. */
export const toolExamples: Record<string, ToolExamples> = {
  hosts_list: { good: () => [{}, { limit: 1 }, undefined], bad: [{ limit: 0 }, { limit: 101 }, { nope: 1 }, [], "x", 7] },
  organization_members_list: { good: () => [{}], bad: [{ cursor: 1 }] },
  projects_list: { good: () => [{}], bad: [{ limit: "5" }] },
  projects_get: { good: ({ project }) => [{ projectId: project.id }, { projectId: "shop" }], bad: [{}, { projectId: "" }] },
  projects_create: {
    good: ({ repositoryPath }) => [{ name: "Again", repositoryPath, setup: { commands: [["make"]], timeoutSeconds: 5 }, trusted: true }],
    bad: [{ repositoryPath: "/x", name: " x" }, { repositoryPath: "/x", setup: { commands: [[]] } }, { repositoryPath: "/x", baseBranch: "-x" }, {}]
  },
  projects_update: { good: () => [{ projectId: "shop", name: "Store", setup: null }], bad: [{ name: "x" }] },
  projects_delete: { good: () => [], bad: [{}] },
  tasks_list: {
    good: ({ user }) => [{}, {
      statusId: "Backlog",
      statusType: "backlog",
      assigneeId: user.id,
      priority: "none",
      label: "web",
      search: "fix",
      limit: 1
    }],
    bad: [{ statusType: "odd" }, { search: "" }, { priority: "odd" }]
  },
  tasks_get: { good: ({ taskId, taskSlug }) => [{ taskId }, { taskId: taskSlug }], bad: [{}, { taskId: "" }] },
  tasks_create: {
    good: ({ user }) => [{ title: "Bare" }, {
      title: "Whole",
      description: "All of it.",
      statusId: "Todo",
      priority: "high",
      assigneeId: user.email,
      estimate: 0.5,
      dueAt: "2026-12-24T18:00:00+01:00",
      labels: ["web"]
    }],
    bad: [{}, { title: " x" }, { title: "x", estimate: -1 }, { title: "x", dueAt: "2026-12-24" }, { title: "x", labels: ["a", "a"] }]
  },
  tasks_update: {
    good: ({ taskSlug }) => [
      { taskId: taskSlug, title: "Other", statusId: "Done" },
      { taskId: taskSlug, assigneeId: null, estimate: null, dueAt: null }
    ],
    bad: [{ title: "x" }, { taskId: "x", title: null }]
  },
  tasks_delete: { good: ({ taskId }) => [{ taskId }], bad: [{}] },
  task_statuses_list: { good: () => [{}, { limit: 2 }], bad: [{ limit: 0 }] },
  workspaces_list: { good: ({ taskId }) => [{}, { projectId: "shop", taskId }, { status: "deleted" }], bad: [{ status: "odd" }] },
  workspaces_get: { good: ({ workspaceId }) => [{ workspaceId }, { workspaceId: "Work" }], bad: [{}] },
  workspaces_create: {
    good: ({ taskSlug }) => [{ projectId: "shop", name: "Other", newBranch: "feature", base: "main", taskId: taskSlug }],
    bad: [{ projectId: "shop" }, { projectId: "shop", name: "a\nb" }, { projectId: "shop", name: "x", branch: "a", newBranch: "b" }]
  },
  workspaces_update: { good: () => [{ workspaceId: "Work", name: "Renamed" }], bad: [{ workspaceId: "Work" }] },
  workspaces_diff: {
    good: () => [{ workspaceId: "Work" }, { workspaceId: "Work", format: "patch" }],
    bad: [{ workspaceId: "Work", format: "html" }]
  },
  workspaces_push: { good: () => [{ workspaceId: "Work" }, { workspaceId: "Work", remote: "origin" }], bad: [{ workspaceId: "Work", remote: "--x" }] },
  workspaces_delete: { good: () => [{ workspaceId: "Work" }], bad: [{ workspaceId: "Work", force: "yes" }] },
  agents_list: { good: ({ host }) => [{}, { hostId: host.id }], bad: [{ hostId: 7 }] },
  automations_list: { good: () => [{}, { projectId: "shop" }], bad: [{ projectId: "" }] },
  automations_get: { good: () => [{ automationId: "Review" }], bad: [{}] },
  automations_create: {
    good: () => [{
      name: "Reuse",
      prompt: "x",
      agent: "reviewer",
      projectId: "shop",
      workspaceMode: "reuse",
      workspaceId: "Work",
      timeoutSeconds: 60,
      maxConcurrentRuns: 2,
      maxAttempts: 1
    }],
    bad: [
      { name: "x", prompt: "x", agent: "reviewer" },
      { name: "x", prompt: "x", agent: "nobody", projectId: "shop" },
      { name: "x", prompt: "x", agent: "reviewer", projectId: "shop", workspaceId: "Work" },
      { name: "x", prompt: "a\u0000b", agent: "reviewer", projectId: "shop" },
      { name: "x", prompt: "x", agent: "reviewer", projectId: "shop", maxAttempts: 0 }
    ]
  },
  automations_update: {
    good: () => [{ automationId: "Review", prompt: "Look.", maxConcurrentRuns: null }, {
      automationId: "Review",
      workspaceMode: "reuse",
      workspaceId: "Work"
    }],
    bad: [{ automationId: "Review", timeoutSeconds: 0 }, { automationId: "Review", agent: "nobody" }]
  },
  automations_pause: { good: () => [{ automationId: "Review" }, { automationId: "Review" }], bad: [{}] },
  automations_resume: { good: () => [{ automationId: "Review" }], bad: [{}] },
  automations_delete: { good: () => [], bad: [{}] },
  automations_run: {
    good: () => [{ automationId: "Review" }, { automationId: "Review", payload: [1, null, { a: "b" }] }],
    bad: [{ automationId: "Review", payload: 7 }, { automationId: "Review", payload: { text: "x".repeat(1_048_576) } }]
  },
  runs_list: { good: () => [{}, { automationId: "Review", projectId: "shop", status: "queued", limit: 1 }], bad: [{ status: "x" }] },
  runs_get: { good: ({ runId }) => [{ runId }], bad: [{}] },
  runs_wait: { good: () => [], bad: [{ runId: "x", timeoutSeconds: 301 }] },
  runs_cancel: { good: ({ runId }) => [{ runId }, { runId }], bad: [{}] },
  runs_retry: { good: () => [], bad: [{}] },
  runs_events: { good: ({ runId }) => [{ runId }, { runId, afterSequence: 1, limit: 1 }], bad: [{ runId: "x", limit: 1001 }] }
}
