// What a contract needs to be there, made through the ports alone and new each time, so that tests share one database.
import {
  AgentSessionId,
  AutomationId,
  firstStatuses,
  foundOrganization,
  generateSecret,
  hashSecret,
  HostId,
  MachineId,
  MemberId,
  newId,
  now,
  ProjectId,
  RunId,
  type SecretKind,
  TaskId,
  TaskStatusId,
  UserId,
  WorkspaceId
} from "@coppice/core"
import type {
  AgentSession,
  Automation,
  Host,
  MachineFacts,
  Member,
  OrganizationId,
  Project,
  Run,
  SecretHash,
  Task,
  TaskStatus,
  User,
  Workspace
} from "@coppice/core"
import {
  AgentSessionStore,
  AutomationStore,
  HostStore,
  MemberStore,
  ProjectStore,
  RunStore,
  TaskStatusStore,
  TaskStore,
  WorkspaceStore
} from "@coppice/core/ports"
import { Effect } from "effect"

const times = Effect.map(now, (at) => ({ createdAt: at, updatedAt: at }))

/** An organization with its owner. */
export const seedTenant = Effect.gen(function*() {
  const mark = yield* newId(UserId)
  return yield* foundOrganization({ organizationName: "Seeded", email: `${mark}@example.com`, name: "Owner" })
})

export type Tenant = Effect.Success<typeof seedTenant>

/** Another user and their membership, not stored yet. */
export const newMember = Effect.fnUntraced(function*(organizationId: OrganizationId) {
  const userId = yield* newId(UserId)
  const both = { email: `${userId}@example.com`, name: "Member", ...yield* times }
  const user: User = { id: userId, activeOrganizationId: organizationId, ...both }
  const member: Member = { id: yield* newId(MemberId), organizationId, userId, role: "member", ...both }
  return { user, member }
})

export const seedMember = Effect.fnUntraced(function*(organizationId: OrganizationId) {
  const { member, user } = yield* newMember(organizationId)
  yield* (yield* MemberStore).add(organizationId, member, user)
  return { member, user }
})

export const newFacts = Effect.fnUntraced(function*(facts: Partial<MachineFacts> = {}) {
  const machineId = facts.machineId ?? (yield* newId(MachineId))
  const name = `machine ${machineId}`
  return { machineId, name, platform: "linux-x64", agents: ["reviewer"], maxConcurrentRuns: 4, ...facts }
})

export const seedHost = Effect.fnUntraced(function*(
  organizationId: OrganizationId,
  facts: Partial<MachineFacts> = {}
) {
  const id = yield* newId(HostId)
  return yield* (yield* HostStore).register(organizationId, id, yield* newFacts(facts), yield* now)
})

/** A project of a host, not stored yet. Its name is its own. */
export const newProject = Effect.fnUntraced(function*(
  host: Pick<Host, "id" | "organizationId">,
  fields: Partial<Project> = {}
) {
  const id = yield* newId(ProjectId)
  const project: Project = {
    id,
    organizationId: host.organizationId,
    name: `project ${id}`,
    hostId: host.id,
    repositoryPath: "/repositories/seeded",
    baseBranch: "main",
    trusted: false,
    ...yield* times,
    ...fields
  }
  return project
})

export const seedProject = Effect.fnUntraced(function*(
  host: Pick<Host, "id" | "organizationId">,
  fields: Partial<Project> = {}
) {
  const project = yield* newProject(host, fields)
  yield* (yield* ProjectStore).create(project)
  return project
})

/** The statuses that an organization begins with, not stored yet. */
export const newTaskStatuses = Effect.fnUntraced(function*(organizationId: OrganizationId) {
  const created = yield* times
  return yield* Effect.forEach(firstStatuses, (status, position) =>
    Effect.map(newId(TaskStatusId), (id): TaskStatus => ({ id, organizationId, ...status, position, ...created })))
})

export const seedTaskStatuses = Effect.fnUntraced(function*(organizationId: OrganizationId) {
  return yield* (yield* TaskStatusStore).seed(organizationId, yield* newTaskStatuses(organizationId))
})

/** A task in a status, not stored yet. Its slug is its own. */
export const newTask = Effect.fnUntraced(function*(status: TaskStatus, fields: Partial<Task> = {}) {
  const id = yield* newId(TaskId)
  const task: Task = {
    id,
    organizationId: status.organizationId,
    slug: `task-${id}`,
    title: "Seeded",
    description: "",
    statusId: status.id,
    priority: "none",
    labels: [],
    ...yield* times,
    ...fields
  }
  return task
})

export const seedTask = Effect.fnUntraced(function*(status: TaskStatus, fields: Partial<Task> = {}) {
  const task = yield* newTask(status, fields)
  yield* (yield* TaskStore).create(task)
  return task
})

export const newWorkspace = Effect.fnUntraced(function*(project: Project, fields: Partial<Workspace> = {}) {
  const id = yield* newId(WorkspaceId)
  const workspace: Workspace = {
    id,
    organizationId: project.organizationId,
    name: `workspace ${id}`,
    projectId: project.id,
    hostId: project.hostId,
    status: "ready",
    branch: `coppice/${id}`,
    baseBranch: project.baseBranch,
    ...yield* times,
    ...fields
  }
  return workspace
})

export const seedWorkspace = Effect.fnUntraced(function*(project: Project, fields: Partial<Workspace> = {}) {
  const workspace = yield* newWorkspace(project, fields)
  yield* (yield* WorkspaceStore).create(workspace)
  return workspace
})

export const seedSession = Effect.fnUntraced(function*(workspace: Workspace, fields: Partial<AgentSession> = {}) {
  const session: AgentSession = {
    id: yield* newId(AgentSessionId),
    organizationId: workspace.organizationId,
    workspaceId: workspace.id,
    agent: "reviewer",
    title: "Seeded",
    status: "running",
    ...yield* times,
    ...fields
  }
  yield* (yield* AgentSessionStore).create(session)
  return session
})

export const newAutomation = Effect.fnUntraced(function*(
  project: Project,
  ownerId: UserId,
  fields: Partial<Automation> = {}
) {
  const id = yield* newId(AutomationId)
  const automation: Automation = {
    id,
    organizationId: project.organizationId,
    name: `automation ${id}`,
    status: "active",
    prompt: "Review it.",
    agent: "reviewer",
    projectId: project.id,
    workspaceMode: "fresh",
    timeoutSeconds: 3600,
    maxAttempts: 2,
    ownerId,
    ...yield* times,
    ...fields
  }
  return automation
})

export const seedAutomation = Effect.fnUntraced(function*(
  project: Project,
  ownerId: UserId,
  fields: Partial<Automation> = {}
) {
  const automation = yield* newAutomation(project, ownerId, fields)
  yield* (yield* AutomationStore).create(automation)
  return automation
})

const emptyPayload = new TextEncoder().encode("{}")

export const seedRun = Effect.fnUntraced(function*(
  automation: Automation,
  payload: Uint8Array = emptyPayload,
  fields: Partial<Pick<Run, "retryOf" | "trigger">> = {}
) {
  const { id: automationId, organizationId } = automation
  return yield* (yield* RunStore).create(
    { id: yield* newId(RunId), organizationId, automationId, trigger: "manual", createdAt: yield* now, ...fields },
    payload
  )
})

/** The hash of a new secret. */
export const seedHash = Effect.fnUntraced(function*(kind: SecretKind) {
  return hashSecret(kind, yield* generateSecret(kind)) as SecretHash
})

/** A tenant with all that a run needs: a host, a project of it and an automation of that. */
export const seedWorld = Effect.fnUntraced(function*(
  fields: { readonly automation?: Partial<Automation>; readonly host?: Partial<MachineFacts> } = {}
) {
  const tenant = yield* seedTenant
  const organizationId = tenant.organization.id
  const host = yield* seedHost(organizationId, fields.host)
  const project = yield* seedProject(host)
  const automation = yield* seedAutomation(project, tenant.user.id, fields.automation)
  return { ...tenant, organizationId, machineId: host.machineId, host, project, automation }
})

export type World = Effect.Success<ReturnType<typeof seedWorld>>
