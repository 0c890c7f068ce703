import {
  AgentSessionId,
  AutomationId,
  CurrentPrincipal,
  issueSecret,
  newId,
  now,
  type OrganizationId,
  ProjectId,
  RunId,
  withinProjects,
  WorkspaceId
} from "@coppice/core"
import {
  AgentSessionStore,
  AutomationStore,
  ProjectStore,
  RunEventStore,
  RunQueue,
  RunStore,
  WorkspaceStore
} from "@coppice/core/ports"
import { it } from "@effect/vitest"
import { Cause, Effect, Exit, Stream } from "effect"
import { assert, describe } from "vitest"
import { makePlace, type Place, snapshot } from "./project-place.ts"
import { machineId, makeWorld, worldLayer } from "./world.ts"

const idsOf = ({ byId, ids }: Place) => ({
  projectId: byId.project as ProjectId,
  workspaceId: byId.workspace as WorkspaceId,
  automationId: byId.automation as AutomationId,
  queuedRunId: byId.queuedRun as RunId,
  endedRunId: byId.endedRun as RunId,
  sessionId: ids[3] as AgentSessionId
})
type Ids = ReturnType<typeof idsOf>

const makeScene = Effect.gen(function*() {
  const world = yield* makeWorld
  const mine = yield* makePlace(world, "mine")
  const foreign = yield* makePlace(world, "foreign")
  const principal = { ...world.principal, projectIds: [mine.byId.project as ProjectId] }
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(withinProjects(effect), CurrentPrincipal, principal)
  return { world, mine, foreign, within }
})

/** What is done to each port, of the records of a project; it answers what each verb did. */
const touchAll = Effect.fnUntraced(function*(organizationId: OrganizationId, ids: Ids) {
  const at = yield* now
  const { hash } = yield* issueSecret("webhookToken")
  const sessions = yield* AgentSessionStore
  const automations = yield* AutomationStore
  const projects = yield* ProjectStore
  const events = yield* RunEventStore
  const runs = yield* RunStore
  const workspaces = yield* WorkspaceStore
  const run = { id: yield* newId(RunId), organizationId, automationId: ids.automationId, trigger: "manual" as const, createdAt: at }
  const outcome = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.match(effect, { onSuccess: (answer) => answer !== undefined && answer !== false, onFailure: () => false })
  return {
    "sessions.get": yield* outcome(sessions.get(organizationId, ids.sessionId)),
    "sessions.transition": yield* outcome(
      sessions.transition(organizationId, ids.sessionId, ["lost"], "running", {}, at)
    ),
    "automations.get": yield* outcome(automations.get(organizationId, ids.automationId)),
    "automations.update": yield* outcome(automations.update(organizationId, ids.automationId, { prompt: "Changed." }, at)),
    "automations.rotateWebhookToken": yield* outcome(
      automations.rotateWebhookToken(organizationId, ids.automationId, hash, at)
    ),
    "runs.create": yield* outcome(Effect.as(runs.create(run, new Uint8Array()), true)),
    "runs.get": yield* outcome(runs.get(organizationId, ids.queuedRunId)),
    "runs.payload": yield* outcome(runs.payload(organizationId, ids.queuedRunId)),
    "events.list": yield* outcome(
      Effect.map(events.list(organizationId, ids.queuedRunId, 0, 10), (all) => all.length > 0)
    ),
    "workspaces.get": yield* outcome(workspaces.get(organizationId, ids.workspaceId)),
    "workspaces.rename": yield* outcome(workspaces.rename(organizationId, ids.workspaceId, "changed", at)),
    "workspaces.transition": yield* outcome(
      workspaces.transition(organizationId, ids.workspaceId, ["ready"], "deleting", {}, at)
    ),
    "workspaces.unsettled": yield* outcome(
      Effect.map(workspaces.unsettled(machineId), (all) => all.some(({ id }) => id === ids.workspaceId))
    ),
    "projects.get": yield* outcome(projects.get(organizationId, ids.projectId)),
    "projects.update": yield* outcome(projects.update(organizationId, ids.projectId, { trusted: true }, at)),
    "runs.cancel": yield* outcome(runs.cancel(organizationId, ids.queuedRunId, at))
  }
})

const dies = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => Exit.isFailure(exit) && Cause.hasDies(exit.cause))

// What use cases do is judged by the tools; here the ports are, so that no use case has to ask before it acts.
describe("the ports of a credential for some projects", () => {
  it.effect("do to its own what they do, and nothing to another project", () =>
    Effect.gen(function*() {
      const { foreign, mine, within, world } = yield* makeScene
      const before = yield* snapshot(world, foreign)
      const theirs = yield* within(touchAll(world.organizationId, idsOf(foreign)))
      assert.deepStrictEqual(Object.entries(theirs).filter(([, done]) => done), [])
      assert.strictEqual(yield* snapshot(world, foreign), before)
      const own = yield* within(touchAll(world.organizationId, idsOf(mine)))
      assert.deepStrictEqual(Object.entries(own).filter(([, done]) => !done), [])
      assert.strictEqual(yield* snapshot(world, foreign), before)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("add no event to another project's run, and remove nothing there", () =>
    Effect.gen(function*() {
      const { foreign, mine, within, world: { organizationId, ...world } } = yield* makeScene
      const { automationId, endedRunId, projectId } = idsOf(foreign)
      const before = yield* snapshot({ organizationId, ...world }, foreign)
      yield* within(Effect.gen(function*() {
        const event = { at: yield* now, type: "output" as const, attempt: 1, stream: "stdout" as const, text: "x" }
        yield* (yield* RunEventStore).append(organizationId, endedRunId, [event], 1000)
        assert.isFalse(yield* (yield* AutomationStore).remove(organizationId, automationId))
        assert.isFalse(yield* (yield* ProjectStore).remove(organizationId, projectId))
        const { items } = yield* (yield* AgentSessionStore).list(organizationId, {}, {})
        const unsettled = yield* (yield* AgentSessionStore).unsettled(machineId)
        for (const sessions of [items, unsettled]) assert.deepStrictEqual(sessions.map(({ id }) => id), [idsOf(mine).sessionId])
      }))
      assert.strictEqual(yield* snapshot({ organizationId, ...world }, foreign), before)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("make nothing in another project, and leave what concerns a machine to the service", () =>
    Effect.gen(function*() {
      const { foreign, within, world } = yield* makeScene
      const { organizationId } = world
      const { automationId, projectId, sessionId, workspaceId } = idsOf(foreign)
      const project = (yield* (yield* ProjectStore).get(organizationId, projectId))!
      const workspace = (yield* (yield* WorkspaceStore).get(organizationId, workspaceId))!
      const automation = (yield* (yield* AutomationStore).get(organizationId, automationId))!
      const session = (yield* (yield* AgentSessionStore).get(organizationId, sessionId))!
      yield* within(Effect.gen(function*() {
        const queue = yield* RunQueue
        const options = { leaseMillis: 1000, maxConcurrentRuns: 4 }
        const attempts = [
          (yield* ProjectStore).create({ ...project, id: yield* newId(ProjectId), name: "new" }),
          (yield* WorkspaceStore).create({ ...workspace, id: yield* newId(WorkspaceId), name: "new" }),
          (yield* AutomationStore).create({ ...automation, id: yield* newId(AutomationId), name: "new" }),
          (yield* AgentSessionStore).create({ ...session, id: yield* newId(AgentSessionId) }),
          (yield* RunStore).forget(yield* now),
          queue.claim(machineId, options),
          queue.reap(),
          queue.reclaim(machineId)
        ]
        for (const attempt of attempts) assert.isTrue(yield* dies(attempt))
        assert.lengthOf(yield* Stream.runCollect(Stream.take(queue.changes, 1)), 1)
      }))
    }).pipe(Effect.provide(worldLayer)))

  it.effect("show everything to whoever has all projects", () =>
    Effect.gen(function*() {
      const { foreign, world } = yield* makeScene
      const own = yield* world.as(withinProjects(touchAll(world.organizationId, idsOf(foreign))))
      assert.deepStrictEqual(Object.entries(own).filter(([, done]) => !done), [])
    }).pipe(Effect.provide(worldLayer)))
})
