import { AgentSessionId, createWorkspace, deleteWorkspace, newId, startAgentSession } from "@coppice/core"
import { AgentSessionStore, HostGateway, HostStore, ProjectStore, WorkspaceStore } from "@coppice/core/ports"
import { exits, hangs } from "@coppice/testkit/fake"
import { it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { assert, describe } from "vitest"
import { makeWorld, StoreLink, worldLayer } from "./world.ts"

/** A world with a ready workspace, and the way to start an agent in it. */
const readyWorld = Effect.gen(function*() {
  const world = yield* makeWorld
  world.fake.script("reviewer", hangs)
  const connection = yield* (yield* HostGateway).connect(world.host)
  const workspace = yield* world.as(createWorkspace({ projectId: world.project.id, name: "Work" }))
  const sessionId = yield* newId(AgentSessionId)
  const start = startAgentSession(connection, { ...workspace, path: workspace.path! }, {
    sessionId,
    agent: "reviewer",
    title: "By hand",
    prompt: new TextEncoder().encode("Review it."),
    environment: {}
  })
  return { ...world, workspace, start, session: Effect.map(world.sessions, ([session]) => session) }
})

describe("starting an agent session", () => {
  it.effect("answers it running, with its process", () =>
    Effect.gen(function*() {
      const world = yield* readyWorld
      assert.strictEqual((yield* world.start).status, "running")
      assert.lengthOf(world.fake.running(), 1)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("leaves no process when the link is lost once it has started", () =>
    Effect.gen(function*() {
      const world = yield* readyWorld
      world.fake.interject("AgentLauncher.start", "link_lost_after")
      assert.strictEqual((yield* Effect.flip(world.start))._tag, "LinkLost")
      assert.lengthOf(world.fake.processes(), 1)
      assert.lengthOf(world.fake.running(), 0)
      assert.strictEqual((yield* world.session)?.failure?.reason, "host_lost")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("leaves no process when it is interrupted once it has started", () =>
    Effect.gen(function*() {
      const world = yield* readyWorld
      const link = yield* StoreLink
      const started = yield* Deferred.make<void>()
      link.before = (name, args) =>
        name === "AgentSessionStore.transition" && args[3] === "running"
          ? Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
          : Effect.void
      const starting = yield* Effect.forkChild(world.start)
      yield* Deferred.await(started)
      assert.lengthOf(world.fake.running(), 1)
      yield* Fiber.interrupt(starting)
      assert.lengthOf(world.fake.running(), 0)
      assert.strictEqual((yield* world.session)?.failure?.reason, "interrupted")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("leaves no process when its record cannot be stored once it has started", () =>
    Effect.gen(function*() {
      const world = yield* readyWorld
      const link = yield* StoreLink
      link.before = (name, args) =>
        name === "AgentSessionStore.transition" && args[3] === "running" ? Effect.die(new Error("away")) : Effect.void
      assert.isTrue(Exit.hasDies(yield* Effect.exit(world.start)))
      assert.lengthOf(world.fake.running(), 0)
      assert.strictEqual((yield* world.session)?.status, "failed")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("records why an agent cannot be used", () =>
    Effect.gen(function*() {
      const world = yield* readyWorld
      world.fake.script("reviewer", exits(0), { unavailableReason: "It is not installed." })
      assert.strictEqual((yield* Effect.flip(world.start))._tag, "AgentUnavailable")
      assert.deepStrictEqual((yield* world.session)?.failure, { reason: "agent_unavailable", message: "It is not installed." })
    }).pipe(Effect.provide(worldLayer)))

  it.effect("starts nothing in a workspace that is deleted in the same moment, whichever comes first", () =>
    Effect.gen(function*() {
      const world = yield* readyWorld
      const link = yield* StoreLink
      const context = yield* Effect.context<WorkspaceStore | ProjectStore | AgentSessionStore | HostStore | HostGateway>()
      let deleted = false
      // The deletion comes when the session's record is made, and before the workspace is looked at once more.
      link.after = (name) =>
        name === "AgentSessionStore.create" && !deleted
          ? Effect.suspend(() => {
            deleted = true
            return Effect.ignore(Effect.provideContext(world.as(deleteWorkspace(world.workspace.id, false)), context))
          })
          : Effect.void
      const exit = yield* Effect.exit(world.start)
      const [workspace] = yield* world.workspaces
      // Either the agent runs in a ready workspace, or there is neither.
      assert.strictEqual(Exit.isSuccess(exit), workspace?.status === "ready")
      assert.lengthOf(world.fake.running(), Exit.isSuccess(exit) ? 1 : 0)
      assert.lengthOf(world.fake.worktrees(), Exit.isSuccess(exit) ? 1 : 0)
    }).pipe(Effect.provide(worldLayer)))
})
