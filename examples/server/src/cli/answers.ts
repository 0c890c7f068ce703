import type { ApiKey, Automation, Member, Organization, Project, Run, RunEvent, Task, TaskStatus, User, Workspace } from "@coppice/core"
import type { Effect } from "effect"
import type { automationsWebhookToken, keysCreate } from "../admin/credential-operations.ts"
import type { doctor } from "../admin/doctor-operation.ts"

// Records as they are on the wire. Nothing of core is loaded for them.
export type ApiKeyRecord = typeof ApiKey.Encoded
export type AutomationRecord = typeof Automation.Encoded
export type ProjectRecord = typeof Project.Encoded
export type RunRecord = typeof Run.Encoded
export type RunEventRecord = typeof RunEvent.Encoded
export type TaskRecord = typeof Task.Encoded
export type TaskStatusRecord = typeof TaskStatus.Encoded
export type WorkspaceRecord = typeof Workspace.Encoded

interface Paged {
  readonly nextCursor?: string
}

type Answer<O extends { readonly call: (args: unknown) => Effect.Effect<unknown, unknown, unknown> }> = Effect.Success<
  ReturnType<O["call"]>
>

export interface Diff {
  readonly files: ReadonlyArray<{
    readonly path: string
    readonly change: string
    readonly addedLines?: number
    readonly deletedLines?: number
  }>
  readonly patch?: string
  readonly truncated: boolean
}

/** The operations that commands use, and what each answers. */
export interface Answers {
  readonly users_create: {
    readonly user: typeof User.Encoded
    readonly member: typeof Member.Encoded
    readonly organization: typeof Organization.Encoded
    readonly passwordUrl: string
  }
  readonly users_password_link: { readonly url: string; readonly expiresAt: string }
  readonly keys_create: Answer<typeof keysCreate>
  readonly keys_list: Paged & { readonly apiKeys: ReadonlyArray<ApiKeyRecord> }
  readonly keys_revoke: { readonly apiKey: ApiKeyRecord }
  readonly projects_create: { readonly project: ProjectRecord }
  readonly projects_list: Paged & { readonly projects: ReadonlyArray<ProjectRecord> }
  readonly tasks_list: Paged & { readonly tasks: ReadonlyArray<TaskRecord> }
  readonly tasks_get: { readonly task: TaskRecord }
  readonly tasks_create: { readonly task: TaskRecord }
  readonly tasks_update: { readonly task: TaskRecord }
  readonly tasks_delete: { readonly task: TaskRecord }
  readonly task_statuses_list: Paged & { readonly taskStatuses: ReadonlyArray<TaskStatusRecord> }
  readonly automations_create: { readonly automation: AutomationRecord }
  readonly automations_list: Paged & { readonly automations: ReadonlyArray<AutomationRecord> }
  readonly automations_pause: { readonly automation: AutomationRecord }
  readonly automations_resume: { readonly automation: AutomationRecord }
  readonly automations_webhook_token: Answer<typeof automationsWebhookToken>
  readonly automations_run: { readonly run: RunRecord }
  readonly runs_list: Paged & { readonly runs: ReadonlyArray<RunRecord> }
  readonly runs_get: { readonly run: RunRecord }
  readonly runs_wait: { readonly run: RunRecord }
  readonly runs_cancel: { readonly run: RunRecord }
  readonly runs_retry: { readonly run: RunRecord }
  readonly runs_events: { readonly events: ReadonlyArray<RunEventRecord> }
  readonly workspaces_list: Paged & { readonly workspaces: ReadonlyArray<WorkspaceRecord> }
  readonly workspaces_delete: { readonly workspace: WorkspaceRecord; readonly rescueRef?: string }
  readonly workspaces_diff: { readonly diff: Diff }
  readonly doctor: Answer<typeof doctor>
}
