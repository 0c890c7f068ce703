import { Effect, Schema } from "effect"
import { Reference } from "../text.ts"
import { defineTool } from "../tool/tool.ts"
import { Workspace } from "../workspace/workspace.ts"
import { listAgents } from "./agent-session-usecases.ts"
import { Agent } from "./agent.ts"
import { deleteWorkspace } from "./delete-workspace.ts"

export const agentsList = defineTool({
  name: "agents_list",
  title: "List coding agents",
  description: "Lists the coding agents that a host can run, and why one cannot be used at the moment.",
  effects: "reads",
  input: { hostId: Schema.optionalKey(Reference.annotate({ description: "Id or name of the host; needed when there are several" })) },
  output: { agents: Schema.Array(Agent) },
  run: ({ hostId }) => Effect.map(listAgents(hostId), (agents) => ({ agents }))
})

export const workspacesDelete = defineTool({
  name: "workspaces_delete",
  title: "Delete a workspace",
  description: "Deletes a workspace and its worktree; work that would be lost is refused unless force gives it up.",
  effects: "destroys",
  input: {
    workspaceId: Reference.annotate({ description: "Id or name of the workspace" }),
    force: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Delete even what is uncommitted or unmerged; it is kept under rescueRef first" })
    )
  },
  output: { workspace: Workspace, rescueRef: Schema.optionalKey(Schema.String) },
  run: ({ force, workspaceId }) => deleteWorkspace(workspaceId, force ?? false)
})
