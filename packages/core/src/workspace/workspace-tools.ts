import { Effect, Schema } from "effect"
import { PageRequest } from "../page.ts"
import { BranchName } from "../project/project.ts"
import { Name, Reference } from "../text.ts"
import { defineTool } from "../tool/tool.ts"
import {
  createWorkspace,
  diffWorkspace,
  getWorkspace,
  listWorkspaces,
  pushWorkspace,
  renameWorkspace
} from "./workspace-usecases.ts"
import { Workspace, WorkspaceStatus } from "./workspace.ts"

const workspaceId = Reference.annotate({ description: "Id or name of the workspace" })
const projectId = Reference.annotate({ description: "Id or name of the project" })
const taskId = Reference.annotate({ description: "Id or slug of the task that it is for" })
const workspace = { workspace: Workspace }

export const workspacesList = defineTool({
  name: "workspaces_list",
  title: "List workspaces",
  description: "Lists the worktrees that agents work in; deleted ones only when status asks for them.",
  effects: "reads",
  input: {
    projectId: Schema.optionalKey(projectId),
    taskId: Schema.optionalKey(taskId),
    status: Schema.optionalKey(WorkspaceStatus),
    ...PageRequest.fields
  },
  output: { workspaces: Schema.Array(Workspace), nextCursor: Schema.optionalKey(Schema.String) },
  run: ({ cursor, limit, ...filter }) =>
    Effect.map(
      listWorkspaces(filter, { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) }),
      ({ items, ...rest }) => ({ workspaces: items, ...rest })
    )
})

export const workspacesGet = defineTool({
  name: "workspaces_get",
  title: "Show a workspace",
  description: "Shows one workspace.",
  effects: "reads",
  input: { workspaceId },
  output: workspace,
  run: ({ workspaceId }) => Effect.map(getWorkspace(workspaceId), (workspace) => ({ workspace }))
})

export const workspacesCreate = defineTool({
  name: "workspaces_create",
  title: "Create a workspace",
  description: "Creates a Git worktree of a project on its own branch, and answers once it is ready for an agent.",
  effects: "changes",
  cancellable: true,
  input: {
    projectId,
    name: Name.annotate({ description: "What people call it; unique in the project" }),
    branch: Schema.optionalKey(BranchName.annotate({ description: "An existing branch to check out" })),
    newBranch: Schema.optionalKey(BranchName.annotate({ description: "A branch to make; named after the workspace when left out" })),
    base: Schema.optionalKey(
      BranchName.annotate({ description: "Branch, tag or commit to start from; the project's base branch when left out" })
    ),
    taskId: Schema.optionalKey(taskId)
  },
  output: workspace,
  run: (input) => Effect.map(createWorkspace(input), (workspace) => ({ workspace }))
})

export const workspacesUpdate = defineTool({
  name: "workspaces_update",
  title: "Rename a workspace",
  description: "Gives a workspace another name; its branch and folder stay.",
  effects: "changes",
  idempotent: true,
  input: { workspaceId, name: Name.annotate({ description: "Its new name" }) },
  output: workspace,
  run: ({ name, workspaceId }) => Effect.map(renameWorkspace(workspaceId, name), (workspace) => ({ workspace }))
})

const ChangedFile = Schema.Struct({
  path: Schema.String,
  change: Schema.Literals(["added", "modified", "deleted", "renamed"]),
  addedLines: Schema.optionalKey(Schema.Int),
  deletedLines: Schema.optionalKey(Schema.Int)
})

export const workspacesDiff = defineTool({
  name: "workspaces_diff",
  title: "Show what changed in a workspace",
  description: "Shows what differs from the commit that a workspace started at, untracked files included.",
  effects: "reads",
  input: {
    workspaceId,
    format: Schema.optionalKey(
      Schema.Literals(["summary", "patch"]).annotate({ description: "Only the files (default), or the patch too" })
    )
  },
  output: {
    diff: Schema.Struct({
      files: Schema.Array(ChangedFile),
      patch: Schema.optionalKey(Schema.String),
      truncated: Schema.Boolean
    })
  },
  run: ({ format, workspaceId }) => Effect.map(diffWorkspace(workspaceId, format ?? "summary"), (diff) => ({ diff }))
})

export const workspacesPush = defineTool({
  name: "workspaces_push",
  title: "Push a workspace's branch",
  description: "Pushes a workspace's branch to a remote with the credentials of the host's operator, never by force.",
  effects: "changes",
  openWorld: true,
  idempotent: true,
  input: {
    workspaceId,
    remote: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/, { expected: "the name of a Git remote" }))
        .annotate({ description: "Name of the remote; origin when left out" })
    )
  },
  output: { push: Schema.Struct({ branch: Schema.String, remote: Schema.String, commit: Schema.String }) },
  run: ({ remote, workspaceId }) => Effect.map(pushWorkspace(workspaceId, remote), (push) => ({ push }))
})
