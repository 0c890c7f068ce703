import { type Command, given } from "../command.ts"
import { relative, table } from "../text.ts"
import { listAll } from "./lists.ts"

export const workspacesList: Command = {
  name: "workspaces list",
  summary: "List the worktrees that agents work in",
  options: {
    project: { value: "PROJECT", about: "Only those of this project" },
    task: { value: "TASK", about: "Only those made for this task, by id or slug" }
  },
  run: async ({ input, session }) => {
    const workspaces = await listAll(session, "workspaces_list", "workspaces", given({
      projectId: input.text("project"),
      taskId: input.text("task")
    }))
    return {
      json: { workspaces },
      text: workspaces.length === 0
        ? "There is no workspace."
        : table(["ID", "NAME", "STATE", "BRANCH", "CREATED", "PATH"], workspaces.map((workspace) =>
          [workspace.id, workspace.name, workspace.status, workspace.branch, relative(workspace.createdAt), workspace.path]))
    }
  }
}

export const workspacesDelete: Command = {
  name: "workspaces delete",
  summary: "Delete a workspace and its worktree; work that would be lost is refused",
  positionals: [{ name: "WORKSPACE", about: "the workspace's id or name" }],
  options: { force: { about: "Delete even what is uncommitted or unmerged; it is kept under a rescue ref" } },
  run: async ({ input, session }) => {
    const json = await session.call("workspaces_delete", given({
      workspaceId: input.positionals[0],
      force: input.has("force") || undefined
    }))
    const rescued = json.rescueRef === undefined ? "" : ` What it held is kept under ${json.rescueRef}.`
    return { json, text: `The workspace "${json.workspace.name}" is ${json.workspace.status}.${rescued}` }
  }
}
