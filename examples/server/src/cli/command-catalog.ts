import type { Command } from "./command.ts"
import {
  automationsCreate,
  automationsList,
  automationsPause,
  automationsResume,
  automationsRun,
  automationsWebhookToken
} from "./commands/automations.ts"
import { doctor } from "./commands/doctor.ts"
import { keysCreate, keysList, keysRevoke } from "./commands/keys.ts"
import { projectsAdd, projectsList } from "./commands/projects.ts"
import { runsCancel, runsDiff, runsList, runsLogs, runsRetry, runsShow } from "./commands/runs.ts"
import { tasksCreate, tasksDelete, tasksList, tasksShow, tasksUpdate } from "./commands/tasks.ts"
import { usersCreate, usersPasswordLink } from "./commands/users.ts"
import { workspacesDelete, workspacesList } from "./commands/workspaces.ts"

/** Every command, in the order in which the help shows them. */
export const commandCatalog: ReadonlyArray<Command> = [
  usersCreate,
  usersPasswordLink,
  keysCreate,
  keysList,
  keysRevoke,
  projectsAdd,
  projectsList,
  tasksCreate,
  tasksList,
  tasksShow,
  tasksUpdate,
  tasksDelete,
  automationsCreate,
  automationsList,
  automationsPause,
  automationsResume,
  automationsWebhookToken,
  automationsRun,
  runsList,
  runsShow,
  runsLogs,
  runsDiff,
  runsCancel,
  runsRetry,
  workspacesList,
  workspacesDelete,
  doctor
]
