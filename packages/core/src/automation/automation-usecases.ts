import { Effect } from "effect"
import { requireAgent } from "../agent-session/agent-session-usecases.ts"
import { audit } from "../audit/audit-usecases.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import { requireFullAccess } from "../organization/require-access.ts"
import { issueSecret } from "../credential/secret.ts"
import { InvalidRequest, notFound } from "../error.ts"
import { AutomationId, newId } from "../id.ts"
import { move } from "../lifecycle.ts"
import type { PageRequest } from "../page.ts"
import { getProject } from "../project/project-usecases.ts"
import type { Project } from "../project/project.ts"
import { now } from "../timestamp.ts"
import { getWorkspace } from "../workspace/workspace-usecases.ts"
import { automationLifecycle } from "./automation-policy.ts"
import { AutomationStore } from "./automation-store.ts"
import {
  type Automation,
  AutomationDefaults,
  type AutomationPatch,
  type AutomationStatus,
  type WorkspaceMode
} from "./automation.ts"

export interface NewAutomation {
  readonly name: string
  readonly prompt: string
  readonly agent: string
  readonly projectId: string
  readonly workspaceMode?: WorkspaceMode
  readonly workspaceId?: string
  readonly timeoutSeconds?: number
  readonly maxConcurrentRuns?: number
  readonly maxAttempts?: number
}

/** The workspace that runs are to share: one of the project, and only where they share one. */
const sharedWorkspace = Effect.fn("sharedWorkspace")(function*(
  mode: WorkspaceMode,
  project: Project,
  idOrName: string
) {
  const workspace = yield* getWorkspace(idOrName)
  if (mode !== "reuse" || workspace.projectId !== project.id) {
    return yield* new InvalidRequest({
      message: mode === "reuse"
        ? `The workspace "${workspace.name}" belongs to another project.`
        : "A workspaceId goes with the workspaceMode reuse.",
      hint: "Leave workspaceId out: the first run makes a workspace, and with reuse the later ones share it."
    })
  }
  return workspace.id
})

export const createAutomation = Effect.fn("createAutomation")(function*(input: NewAutomation) {
  const { organizationId, userId } = yield* CurrentPrincipal
  const project = yield* getProject(input.projectId)
  const agent = yield* requireAgent(project.hostId, input.agent)
  const at = yield* now
  const defaults = yield* AutomationDefaults
  const workspaceMode = input.workspaceMode ?? "fresh"
  const automation: Automation = {
    id: yield* newId(AutomationId),
    organizationId,
    name: input.name,
    status: "active",
    prompt: input.prompt,
    agent: agent.id,
    projectId: project.id,
    workspaceMode,
    ...(input.workspaceId === undefined
      ? {}
      : { workspaceId: yield* sharedWorkspace(workspaceMode, project, input.workspaceId) }),
    timeoutSeconds: input.timeoutSeconds ?? agent.timeoutSeconds ?? defaults.timeoutSeconds,
    ...(input.maxConcurrentRuns === undefined ? {} : { maxConcurrentRuns: input.maxConcurrentRuns }),
    maxAttempts: input.maxAttempts ?? defaults.maxAttempts,
    ownerId: userId,
    createdAt: at,
    updatedAt: at
  }
  yield* (yield* AutomationStore).create(automation)
  return automation
})

export const getAutomation = Effect.fn("getAutomation")(function*(idOrName: string) {
  const { organizationId } = yield* CurrentPrincipal
  return (yield* (yield* AutomationStore).get(organizationId, idOrName)) ?? (yield* notFound("automation", idOrName))
})

export const listAutomations = Effect.fn("listAutomations")(function*(
  filter: { readonly projectId?: string; readonly status?: AutomationStatus },
  page: PageRequest
) {
  const { organizationId } = yield* CurrentPrincipal
  const { projectId, ...rest } = filter
  const narrowed = projectId === undefined ? rest : { ...rest, projectId: (yield* getProject(projectId)).id }
  return yield* (yield* AutomationStore).list(organizationId, narrowed, page)
})

/** Changes an automation; runs that are taken up keep what they started with. `null` takes a value away. */
export const updateAutomation = Effect.fn("updateAutomation")(function*(
  idOrName: string,
  patch: Omit<AutomationPatch, "workspaceId"> & { readonly workspaceId?: string | null }
) {
  const automation = yield* getAutomation(idOrName)
  const project = yield* getProject(automation.projectId)
  if (patch.agent !== undefined) yield* requireAgent(project.hostId, patch.agent)
  const { workspaceId, ...rest } = patch
  const mode = patch.workspaceMode ?? automation.workspaceMode
  const workspace = typeof workspaceId === "string"
    ? { workspaceId: yield* sharedWorkspace(mode, project, workspaceId) }
    : workspaceId === null || mode === "fresh"
    ? { workspaceId: null }
    : {}
  const updated = yield* (yield* AutomationStore).update(
    automation.organizationId,
    automation.id,
    { ...rest, ...workspace },
    yield* now
  )
  return updated ?? (yield* notFound("automation", idOrName))
})

/** Pauses or resumes. To be there already is fine. */
const setStatus = Effect.fn("setStatus")(function*(idOrName: string, to: AutomationStatus) {
  const automation = yield* getAutomation(idOrName)
  if (automation.status === to) return automation
  yield* Effect.fromResult(move(automationLifecycle, automation.status, to))
  const status = { from: automation.status, to }
  const moved = yield* (yield* AutomationStore).update(automation.organizationId, automation.id, { status }, yield* now)
  return moved ?? (yield* getAutomation(automation.id))
})

/** From now on webhooks are refused and nothing new starts. What is queued or running goes on. */
export const pauseAutomation = (idOrName: string) => setStatus(idOrName, "paused")

export const resumeAutomation = (idOrName: string) => setStatus(idOrName, "active")

export const deleteAutomation = Effect.fn("deleteAutomation")(function*(idOrName: string) {
  const automation = yield* getAutomation(idOrName)
  const removed = yield* (yield* AutomationStore).remove(automation.organizationId, automation.id)
  return removed ? automation : yield* notFound("automation", idOrName)
})

/** Gives an automation a new webhook token, answered here and never again; the one before stops working at once. */
export const rotateWebhookToken = Effect.fn("rotateWebhookToken")(function*(idOrName: string) {
  yield* requireFullAccess
  const automation = yield* getAutomation(idOrName)
  const { hash, secret: token } = yield* issueSecret("webhookToken")
  const rotated = yield* (yield* AutomationStore).rotateWebhookToken(
    automation.organizationId,
    automation.id,
    hash,
    yield* now
  )
  if (!rotated) return yield* notFound("automation", idOrName)
  yield* audit(yield* CurrentPrincipal, "automation.token_rotated", automation)
  return { automation, token }
})
