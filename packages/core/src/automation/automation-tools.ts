import { Effect, Schema } from "effect"
import { PageRequest } from "../page.ts"
import { Name, Reference, Text } from "../text.ts"
import { defineTool } from "../tool/tool.ts"
import {
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomations,
  pauseAutomation,
  resumeAutomation,
  updateAutomation
} from "./automation-usecases.ts"
import { Automation, MaxAttempts, MaxConcurrentRuns, TimeoutSeconds, WorkspaceMode } from "./automation.ts"

const automationId = Reference.annotate({ description: "Id or name of the automation" })
const projectId = Reference.annotate({ description: "Id or name of the project" })
const workspaceId = Reference.annotate({ description: "Id or name of the workspace that reuse runs share" })
const automation = { automation: Automation }

const name = Name.annotate({ description: "What people call it; unique in the organization" })
const agent = Reference.annotate({ description: "Id of a coding agent; agents_list shows them" })
const prompt = Text.annotate({ description: "What the agent is told; the webhook's JSON body follows it, fenced as data" })
const workspaceMode = WorkspaceMode.annotate({
  description: "fresh: a workspace for each run (default); reuse: one for all of them, one run at a time"
})
const timeoutSeconds = TimeoutSeconds.annotate({ description: "How long an agent may work; 3600 when left out" })
const maxConcurrentRuns = MaxConcurrentRuns.annotate({ description: "Runs of it at once; no cap of its own when left out" })
const maxAttempts = MaxAttempts.annotate({ description: "How often a run is taken up when its host is lost; 2 when left out" })

export const automationsList = defineTool({
  name: "automations_list",
  title: "List automations",
  description: "Lists the automations: what webhooks and people start again and again.",
  effects: "reads",
  input: { projectId: Schema.optionalKey(projectId), ...PageRequest.fields },
  output: { automations: Schema.Array(Automation), nextCursor: Schema.optionalKey(Schema.String) },
  run: ({ projectId, ...page }) =>
    Effect.map(
      listAutomations(projectId === undefined ? {} : { projectId }, page),
      ({ items, ...rest }) => ({ automations: items, ...rest })
    )
})

export const automationsGet = defineTool({
  name: "automations_get",
  title: "Show an automation",
  description: "Shows one automation.",
  effects: "reads",
  input: { automationId },
  output: automation,
  run: ({ automationId }) => Effect.map(getAutomation(automationId), (automation) => ({ automation }))
})

export const automationsCreate = defineTool({
  name: "automations_create",
  title: "Create an automation",
  description: "Creates an automation: a prompt that an agent gets on a project each time it is run.",
  effects: "changes",
  input: {
    name,
    prompt,
    agent,
    projectId,
    workspaceMode: Schema.optionalKey(workspaceMode),
    workspaceId: Schema.optionalKey(workspaceId),
    timeoutSeconds: Schema.optionalKey(timeoutSeconds),
    maxConcurrentRuns: Schema.optionalKey(maxConcurrentRuns),
    maxAttempts: Schema.optionalKey(maxAttempts)
  },
  output: automation,
  run: (input) => Effect.map(createAutomation(input), (automation) => ({ automation }))
})

export const automationsUpdate = defineTool({
  name: "automations_update",
  title: "Change an automation",
  description: "Changes an automation; runs that were taken up already keep what they started with.",
  effects: "changes",
  idempotent: true,
  input: {
    automationId,
    name: Schema.optionalKey(name),
    prompt: Schema.optionalKey(prompt),
    agent: Schema.optionalKey(agent),
    workspaceMode: Schema.optionalKey(workspaceMode),
    workspaceId: Schema.optionalKey(
      Schema.NullOr(workspaceId).annotate({ description: "The workspace that reuse runs share; null for a new one" })
    ),
    timeoutSeconds: Schema.optionalKey(timeoutSeconds),
    maxConcurrentRuns: Schema.optionalKey(
      Schema.NullOr(maxConcurrentRuns).annotate({ description: "Runs of it at once; null for no cap of its own" })
    ),
    maxAttempts: Schema.optionalKey(maxAttempts)
  },
  output: automation,
  run: ({ automationId, ...patch }) => Effect.map(updateAutomation(automationId, patch), (automation) => ({ automation }))
})

export const automationsPause = defineTool({
  name: "automations_pause",
  title: "Pause an automation",
  description: "Pauses an automation: webhooks are refused and nothing new starts, what is under way goes on.",
  effects: "changes",
  idempotent: true,
  input: { automationId },
  output: automation,
  run: ({ automationId }) => Effect.map(pauseAutomation(automationId), (automation) => ({ automation }))
})

export const automationsResume = defineTool({
  name: "automations_resume",
  title: "Resume an automation",
  description: "Resumes a paused automation.",
  effects: "changes",
  idempotent: true,
  input: { automationId },
  output: automation,
  run: ({ automationId }) => Effect.map(resumeAutomation(automationId), (automation) => ({ automation }))
})

export const automationsDelete = defineTool({
  name: "automations_delete",
  title: "Delete an automation",
  description: "Deletes an automation with its webhook token and the records of its runs; its workspaces stay.",
  effects: "destroys",
  input: { automationId },
  output: automation,
  run: ({ automationId }) => Effect.map(deleteAutomation(automationId), (automation) => ({ automation }))
})
