// What a benchmark needs to be there, written through the ports.
import {
  type Automation,
  AutomationId,
  generateSecret,
  hashSecret,
  type Host,
  newId,
  now,
  type Organization,
  type Project,
  ProjectId,
  type User
} from "@coppice/core"
import { AutomationStore, ProjectStore } from "@coppice/core/ports"
import { Effect } from "effect"

export interface Target {
  readonly path: string
  readonly token: string
}

export const seedProject = Effect.fn(function*(organization: Pick<Organization, "id">, host: Pick<Host, "id">, repositoryPath: string) {
  const at = yield* now
  const project: Project = {
    id: yield* newId(ProjectId),
    organizationId: organization.id,
    name: "bench",
    hostId: host.id,
    repositoryPath,
    baseBranch: "main",
    trusted: false,
    createdAt: at,
    updatedAt: at
  }
  yield* (yield* ProjectStore).create(project)
  return project
})

/** Automations with a webhook token each. */
export const seedAutomations = Effect.fn(function*(
  project: Project,
  owner: Pick<User, "id">,
  count: number,
  fields: Partial<Automation> = {}
) {
  const store = yield* AutomationStore
  const at = yield* now
  const targets: Array<Target> = []
  for (let index = 0; index < count; index++) {
    const automation: Automation = {
      id: yield* newId(AutomationId),
      organizationId: project.organizationId,
      name: `bench ${index}`,
      status: "active",
      prompt: "Look at this.",
      agent: "bench",
      projectId: project.id,
      workspaceMode: "fresh",
      timeoutSeconds: 3600,
      maxAttempts: 1,
      ownerId: owner.id,
      createdAt: at,
      updatedAt: at,
      ...fields
    }
    yield* store.create(automation)
    const token = yield* generateSecret("webhookToken")
    yield* store.rotateWebhookToken(project.organizationId, automation.id, hashSecret("webhookToken", token)!, at)
    targets.push({ path: `/api/automations/webhook/${automation.id}`, token })
  }
  return targets
})

