import type { Effect } from "effect"
import { agentsList, workspacesDelete } from "./agent-session/agent-session-tools.ts"
import {
  automationsCreate,
  automationsDelete,
  automationsGet,
  automationsList,
  automationsPause,
  automationsResume,
  automationsUpdate
} from "./automation/automation-tools.ts"
import { withinProjects } from "./access/within-projects.ts"
import { hostsList } from "./host/host-tools.ts"
import { organizationMembersList } from "./organization/organization-tools.ts"
import { projectsCreate, projectsDelete, projectsGet, projectsList, projectsUpdate } from "./project/project-tools.ts"
import {
  automationsRun,
  runsCancel,
  runsEvents,
  runsGet,
  runsList,
  runsRetry,
  runsWait
} from "./run/run-tools.ts"
import { tasksCreate, tasksDelete, tasksGet, tasksList, tasksUpdate, taskStatusesList } from "./task/task-tools.ts"
import type { Tool } from "./tool/tool.ts"
import {
  workspacesCreate,
  workspacesDiff,
  workspacesGet,
  workspacesList,
  workspacesPush,
  workspacesUpdate
} from "./workspace/workspace-tools.ts"

const tools = [
  hostsList,
  organizationMembersList,
  projectsList,
  projectsGet,
  projectsCreate,
  projectsUpdate,
  projectsDelete,
  tasksList,
  tasksGet,
  tasksCreate,
  tasksUpdate,
  tasksDelete,
  taskStatusesList,
  workspacesList,
  workspacesGet,
  workspacesCreate,
  workspacesUpdate,
  workspacesDiff,
  workspacesPush,
  workspacesDelete,
  agentsList,
  automationsList,
  automationsGet,
  automationsCreate,
  automationsUpdate,
  automationsPause,
  automationsResume,
  automationsDelete,
  automationsRun,
  runsList,
  runsGet,
  runsWait,
  runsCancel,
  runsRetry,
  runsEvents
] as const

/** What the tools need, all together: the principal of the call, and the ports. */
export type ToolServices = Effect.Services<ReturnType<(typeof tools)[number]["call"]>>

/** Every tool, in the order in which clients see them, each within the projects of whoever calls it. */
export const toolCatalog: ReadonlyArray<Tool<ToolServices>> = tools.map((tool: Tool<ToolServices>) => ({
  ...tool,
  call: (args) => withinProjects(tool.call(args))
}))
