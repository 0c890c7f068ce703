// A project with one of everything that is of a project, made as whoever owns the organization makes it.
import {
  AgentSessionId,
  createAutomation,
  createProject,
  createWorkspace,
  newId,
  now,
  startRun,
  type Workspace
} from "@coppice/core"
import { AgentSessionStore, AutomationStore, ProjectStore, RunEventStore, RunStore, WorkspaceStore } from "@coppice/core/ports"
import { FakeHost } from "@coppice/testkit/fake"
import { Effect } from "effect"
import type { makeWorld } from "./world.ts"

type World = Effect.Success<typeof makeWorld>

const seedSession = Effect.fnUntraced(function*({ id: workspaceId, organizationId }: Workspace) {
  const at = yield* now
  const id = yield* newId(AgentSessionId)
  const session = { id, organizationId, workspaceId, agent: "reviewer", title: "Work", createdAt: at, updatedAt: at }
  yield* (yield* AgentSessionStore).create({ ...session, status: "lost", startedAt: at })
  return id
})

/** What references say, by id or by name. */
export interface References {
  readonly project: string
  readonly workspace: string
  readonly automation: string
  readonly queuedRun: string
  readonly endedRun: string
}

export interface Place {
  readonly byId: References
  readonly byName: References
  /** Every id that is in the project. */
  readonly ids: ReadonlyArray<string>
}

export const makePlace = Effect.fnUntraced(function*(world: World, name: string, taskId?: string) {
  const path = `/code/${name}`
  const fake = yield* FakeHost
  fake.addRepository(path, { "README.md": `${name}\n` })
  fake.addRemote(path, "origin")
  const { as } = world
  const names = { project: name, workspace: `${name} work`, automation: `${name} review` }
  const project = yield* as(createProject({ repositoryPath: path, name }))
  const task = taskId === undefined ? {} : { taskId }
  const workspace = yield* as(createWorkspace({ projectId: project.id, name: names.workspace, ...task }))
  const automation = yield* as(
    createAutomation({ name: names.automation, prompt: "Review it.", agent: "reviewer", projectId: project.id })
  )
  const session = yield* seedSession(workspace)
  const ended = yield* as(startRun(automation.id, { of: name }))
  yield* world.cancel(ended.id)
  const queued = yield* as(startRun(automation.id, { of: name }))
  const event = { at: yield* now, type: "output" as const, attempt: 1, stream: "stdout" as const, text: name }
  yield* (yield* RunEventStore).append(project.organizationId, queued.id, [event], 1000)
  const runs = { queuedRun: queued.id, endedRun: ended.id }
  const place: Place = {
    byId: { project: project.id, workspace: workspace.id, automation: automation.id, ...runs },
    byName: { ...names, ...runs },
    ids: [project.id, workspace.id, automation.id, session, queued.id, ended.id]
  }
  return place
})

/** All that is kept of a project, as text: to see whether anything has changed. */
export const snapshot = Effect.fnUntraced(function*({ organizationId }: World, { byId }: Place) {
  const runs = yield* RunStore
  const events = yield* RunEventStore
  const { items } = yield* runs.list(organizationId, {}, { limit: 100 })
  const mine = items.filter(({ projectId }) => projectId === byId.project)
  const sessions = yield* (yield* AgentSessionStore).list(organizationId, {}, { limit: 100 })
  return JSON.stringify([
    yield* (yield* ProjectStore).get(organizationId, byId.project),
    yield* (yield* WorkspaceStore).get(organizationId, byId.workspace),
    yield* (yield* AutomationStore).get(organizationId, byId.automation),
    sessions.items.filter(({ workspaceId }) => workspaceId === byId.workspace),
    // Its place in the queue is what others make of it.
    mine.map(({ queuePosition: _position, ...run }) => run),
    yield* Effect.forEach(mine, ({ id }) => events.list(organizationId, id, 0, 100)),
    yield* Effect.forEach(mine, ({ id }) => Effect.map(runs.payload(organizationId, id), String))
  ])
})
