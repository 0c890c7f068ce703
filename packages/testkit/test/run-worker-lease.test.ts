import { AgentSessionId, createWorkspace, newId, WorkspaceId } from "@coppice/core"
import { AgentSessionStore, HostGateway, RunEventStore, RunQueue, RunStore, WorkspaceStore } from "@coppice/core/ports"
import { exits, hangs, takes } from "@coppice/testkit/fake"
import { it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe } from "vitest"
import { machineId, makeWorld, startWorker, StoreLink, until, workerOptions, worldLayer } from "./world.ts"

/** A world with an automation whose agent works until it is stopped, and a run of it that is running. */
const runningWorld = Effect.fnUntraced(function*(options: { stopMillis?: number; maxAttempts?: number } = {}) {
  const world = yield* makeWorld
  world.fake.script("reviewer", hangs)
  world.fake.setStopMillis(options.stopMillis ?? 0)
  const automation = yield* world.automate({ maxAttempts: options.maxAttempts ?? 2 })
  const { id } = yield* world.run(automation.id)
  const worker = yield* startWorker()
  yield* world.reaches(id, "running")
  return { ...world, automation, id, worker, link: yield* StoreLink }
})

const currentMillis = Effect.map(DateTime.now, DateTime.toEpochMillis)

describe("a lease", () => {
  it.effect("is held as long as the agent works, however long that is", () =>
    Effect.gen(function*() {
      const world = yield* runningWorld()
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* world.getRun(world.id)).attempt, 1)
      assert.strictEqual((yield* world.getRun(world.id)).status, "running")
      assert.lengthOf(world.fake.processes(), 1)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("that cannot be renewed has its agent ended before it ends, and the run is taken up again when it can", () =>
    Effect.gen(function*() {
      const world = yield* runningWorld({ stopMillis: 3000 })
      yield* TestClock.adjust("12 seconds")
      world.link.away = true
      const awaySince = yield* currentMillis
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(world.fake.running(), 0)
      const [first] = world.fake.processes()
      // The last renewal was no later than the moment at which the store went away.
      assert.isAtMost(first!.endedAtMillis!, awaySince + workerOptions.leaseMillis)
      assert.isAtLeast(first!.endedAtMillis!, awaySince)
      world.link.away = false
      yield* until("a second attempt runs", Effect.sync(() => world.fake.running().length === 1))
      const run = yield* world.getRun(world.id)
      assert.strictEqual(run.attempt, 2)
      assert.notStrictEqual(run.workspaceId, world.fake.processes()[0]!.launch.workspaceId)
      yield* until(
        "the first session's record has ended",
        Effect.map(world.sessions, ([session]) => session?.status === "failed")
      )
      assert.strictEqual((yield* world.sessions)[0]?.failure?.reason, "host_lost")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("that another claim has taken over ends the agent, and nothing of the first attempt is stored", () =>
    Effect.gen(function*() {
      const world = yield* runningWorld()
      const queue = yield* RunQueue
      // Another process of the same machine began and gave up what it found.
      yield* queue.reclaim(machineId)
      const claim = yield* queue.claim(machineId, { leaseMillis: 600_000, maxConcurrentRuns: 4 })
      assert.strictEqual(claim?.run.id, world.id)
      yield* until("the agent is ended", Effect.sync(() => world.fake.running().length === 0), 10_000)
      yield* TestClock.adjust("5 seconds")
      const run = yield* world.getRun(world.id)
      assert.strictEqual(run.status, "preparing")
      assert.strictEqual(run.attempt, 2)
      assert.strictEqual((yield* world.sessions)[0]?.status, "failed")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("that was never renewed runs from the claim on, and so does the time that its agent is given", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const link = yield* StoreLink
      world.fake.script("reviewer", hangs)
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      link.before = (name) => name === "RunQueue.renew" ? Effect.die(new Error("The store is away")) : Effect.void
      yield* startWorker()
      yield* world.reaches(id, "running")
      const { startedAt } = yield* world.getRun(id)
      yield* until("the agent has been ended", Effect.sync(() => world.fake.running().length === 0))
      const leaseEnd = startedAt!.epochMilliseconds + workerOptions.leaseMillis
      assert.isBelow(world.fake.processes()[0]!.endedAtMillis!, leaseEnd)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("that was lost is not followed by another attempt before the last process of the first has ended", () =>
    Effect.gen(function*() {
      // It takes longer than the fence provides for.
      const world = yield* runningWorld({ stopMillis: 20_000 })
      world.link.away = true
      yield* TestClock.adjust("16 seconds")
      world.link.away = false
      yield* until("the run is claimed again", Effect.map(world.getRun(world.id), ({ attempt }) => attempt === 2))
      assert.lengthOf(world.fake.running(), 1)
      yield* until("the second agent runs", Effect.sync(() => world.fake.processes().length >= 2), 120_000)
      const [first, second] = world.fake.processes()
      assert.isAtLeast(second!.startedAt.epochMilliseconds, first!.endedAtMillis!)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("survives a store that is away for a while, and nothing of what the agent said is lost", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const link = yield* StoreLink
      world.fake.script("reviewer", ({ print }) =>
        Effect.gen(function*() {
          for (let line = 0; line < 30; line++) {
            yield* print(`${line}\n`)
            yield* Effect.sleep(500)
          }
          return { exitCode: 0 }
        }))
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      yield* world.reaches(id, "running")
      yield* TestClock.adjust("5 seconds")
      link.away = true
      yield* TestClock.adjust("8 seconds")
      link.away = false
      yield* world.reaches(id, "succeeded")
      const events = yield* world.events(id)
      const output = events.filter(({ type }) => type === "output").map(({ text }) => text).join("")
      assert.strictEqual(output, Array.from({ length: 30 }, (_, line) => `${line}\n`).join(""))
      assert.strictEqual((yield* world.getRun(id)).attempt, 1)
    }).pipe(Effect.provide(worldLayer)))

  it.effect.each(
    [
      "RunQueue.update",
      "RunEventStore.append",
      "WorkspaceStore.create",
      "WorkspaceStore.get",
      "WorkspaceStore.transition",
      "AgentSessionStore.create",
      "AgentSessionStore.transition",
      "AutomationStore.update",
      "RunQueue.renew",
      "RunQueue.claim",
      "RunQueue.reap",
      "HostStore.seen"
    ].map((method) => ({ method }))
  )("survives a failure of $method, whenever it comes", ({ method }) =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const link = yield* StoreLink
      world.fake.script("reviewer", takes(7000))
      yield* world.changeProject({ setup: { commands: [["print", "x"]] } })
      const automation = yield* world.automate({ workspaceMode: "reuse" })
      let failures = 0
      // Every other call of that method fails, twice in a row.
      let calls = 0
      link.before = (name) =>
        name === method && calls++ % 3 !== 2
          ? Effect.andThen(Effect.sync(() => failures++), Effect.die(new Error(`${method} failed`)))
          : Effect.void
      const runs = yield* Effect.forEach([1, 2], () => world.run(automation.id))
      yield* startWorker()
      for (const { id } of runs) {
        const run = yield* world.reaches(id, "succeeded")
        assert.strictEqual(run.attempt, 1)
      }
      assert.isAbove(failures, 0)
      assert.deepStrictEqual((yield* world.sessions).map(({ status }) => status), ["completed", "completed"])
      assert.lengthOf(world.fake.processes(), 2)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is given back when the server stops: the agent is ended, the run queued, and the attempt does not count", () =>
    Effect.gen(function*() {
      const world = yield* runningWorld({ maxAttempts: 1 })
      yield* Fiber.interrupt(world.worker)
      assert.lengthOf(world.fake.running(), 0)
      const run = yield* world.getRun(world.id)
      assert.strictEqual(run.status, "queued")
      assert.strictEqual(run.attempt, 0)
      assert.isUndefined(run.failure)
      const [session] = yield* world.sessions
      assert.strictEqual(session?.failure?.reason, "interrupted")
      // The next life of the server takes it up again at once, in a workspace of its own.
      world.fake.script("reviewer", exits(0))
      world.fake.restart()
      yield* startWorker()
      const again = yield* world.reaches(world.id, "succeeded", 1000)
      assert.strictEqual(again.attempt, 1)
      assert.notStrictEqual(again.workspaceId, run.workspaceId)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is given back while the worktree is being made too, and nothing of the worktree is left", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* world.changeProject({ setup: { commands: [["hang"]] } })
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      const worker = yield* startWorker()
      yield* until("the worktree is being made", Effect.sync(() => world.fake.worktrees().length === 1))
      yield* Fiber.interrupt(worker)
      assert.lengthOf(world.fake.worktrees(), 0)
      const run = yield* world.getRun(id)
      assert.deepStrictEqual([run.status, run.attempt], ["queued", 0])
      assert.deepStrictEqual((yield* world.workspaces).map(({ failure }) => failure?.reason), ["interrupted"])
    }).pipe(Effect.provide(worldLayer)))

  it.effect("of a run that was to be cancelled when the server stopped is ended as cancelled", () =>
    Effect.gen(function*() {
      const world = yield* runningWorld()
      yield* world.cancel(world.id)
      yield* Fiber.interrupt(world.worker)
      assert.strictEqual((yield* world.getRun(world.id)).status, "cancelled")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("of several runs is given back by all of them at once, in the time that one agent takes to end", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", hangs)
      world.fake.setStopMillis(3000)
      const automation = yield* world.automate()
      yield* Effect.forEach([1, 2, 3, 4], () => world.run(automation.id))
      const worker = yield* startWorker()
      yield* until("all run", Effect.sync(() => world.fake.running().length === 4))
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker), { startImmediately: true })
      yield* TestClock.adjust(3000)
      assert.lengthOf(world.fake.running(), 0)
      yield* TestClock.adjust(100)
      assert.isDefined(stopping.pollUnsafe())
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is renewed, and runs are taken up, when the queue cannot tell of changes", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const queue = yield* RunQueue
      let listening = 0
      const deaf = RunQueue.of({
        ...queue,
        changes: Stream.suspend(() => listening++ % 2 === 0 ? Stream.die(new Error("The listener is gone")) : Stream.empty)
      })
      yield* Effect.provideService(startWorker(), RunQueue, deaf)
      yield* TestClock.adjust("10 seconds")
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* world.reaches(id, "succeeded", 5000)
      assert.isAtLeast(listening, 2)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("that was just claimed when the server stops is given back at once", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const link = yield* StoreLink
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      const claimed = yield* Deferred.make<void>()
      // The answer is still on its way when the server is told to stop.
      link.after = (name) =>
        name === "RunQueue.claim" ? Effect.andThen(Deferred.succeed(claimed, undefined), Effect.sleep(100)) : Effect.void
      const worker = yield* startWorker()
      yield* until("it is claimed", Deferred.isDone(claimed))
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker), { startImmediately: true })
      yield* until("the worker has ended", Effect.sync(() => stopping.pollUnsafe() !== undefined))
      const run = yield* world.getRun(id)
      assert.deepStrictEqual([run.status, run.attempt], ["queued", 0])
    }).pipe(Effect.provide(worldLayer)))

  it.effect("that was just stored as running when the server stops is given back too", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const link = yield* StoreLink
      world.fake.script("reviewer", hangs)
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      const stored = yield* Deferred.make<void>()
      let running = false
      link.before = (name, args) => Effect.sync(() => void (running = name === "RunQueue.update" && args[2] === "running"))
      // The move took effect; its answer is still on its way when the server is told to stop, and nobody waits for it.
      link.after = () => running ? Effect.andThen(Deferred.succeed(stored, undefined), Effect.never) : Effect.void
      const worker = yield* startWorker()
      yield* until("it is stored", Deferred.isDone(stored))
      yield* Fiber.interrupt(worker)
      assert.lengthOf(world.fake.running(), 0)
      const run = yield* world.getRun(id)
      assert.deepStrictEqual([run.status, run.attempt], ["queued", 0])
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is not given back by a stop that comes when the agent's end was seen: the outcome is stored", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const link = yield* StoreLink
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      const seen = yield* Deferred.make<void>()
      link.before = (name, args) =>
        name === "AgentSessionStore.transition" && args[3] === "completed"
          ? Effect.andThen(Deferred.succeed(seen, undefined), Effect.sleep(100))
          : Effect.void
      const worker = yield* startWorker()
      yield* until("the end was seen", Deferred.isDone(seen))
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker), { startImmediately: true })
      yield* TestClock.adjust(1000)
      yield* Fiber.await(stopping)
      assert.strictEqual((yield* world.getRun(id)).status, "succeeded")
    }).pipe(Effect.provide(worldLayer)))
})

describe("a run whose host is lost", () => {
  it.effect("is attempted again in a fresh workspace, and fails with host_lost when no attempt is left", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.interject("AgentLauncher.start", "link_lost_before", 2)
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      const run = yield* world.reaches(id, "failed")
      assert.strictEqual(run.failure?.reason, "host_lost")
      assert.strictEqual(run.attempt, 2)
      assert.strictEqual(new Set((yield* world.workspaces).map(({ id }) => id)).size, 2)
      assert.deepStrictEqual(
        (yield* world.events(id)).filter(({ type }) => type === "status").map(({ attempt, status }) => [status, attempt]),
        [["preparing", 1], ["queued", 1], ["preparing", 2], ["failed", 2]]
      )
    }).pipe(Effect.provide(worldLayer)))

  it.effect("has what the lost call may have started ended, before it is attempted again", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", hangs)
      world.fake.interject("AgentLauncher.start", "link_lost_after")
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      yield* world.reaches(id, "running")
      assert.lengthOf(world.fake.processes(), 2)
      assert.lengthOf(world.fake.running(), 1)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("has its agent ended even when the link is lost while it is being ended", () =>
    Effect.gen(function*() {
      const world = yield* runningWorld()
      world.fake.interject("AgentLauncher.stop", "link_lost_before", 3)
      yield* world.cancel(world.id)
      yield* world.reaches(world.id, "cancelled")
      assert.lengthOf(world.fake.running(), 0)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("does not stay in the way when the host's adapter dies of a bug: it is attempted again", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.interject("AgentLauncher.watch", "defect")
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      const run = yield* world.reaches(id, "succeeded")
      assert.strictEqual(run.attempt, 2)
      assert.deepStrictEqual((yield* world.sessions).map(({ status }) => status), ["failed", "completed"])
      assert.lengthOf(world.fake.running(), 0)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("that was to be cancelled is cancelled, and not attempted again", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      const link = yield* StoreLink
      const services = yield* Effect.context<RunStore | RunEventStore>()
      // The wish comes in the same moment in which the link is lost.
      link.before = (name) =>
        name === "AgentSessionStore.create"
          ? Effect.ignore(Effect.provideContext(world.cancel(id), services))
          : Effect.void
      world.fake.interject("AgentLauncher.start", "link_lost_before")
      yield* startWorker()
      yield* world.reaches(id, "cancelled")
    }).pipe(Effect.provide(worldLayer)))
})

describe("a machine whose server starts again", () => {
  /** What a server leaves that was killed: a run under lease, its agent at work, and a half-made workspace. */
  const killedWorld = Effect.gen(function*() {
    const world = yield* makeWorld
    world.fake.script("reviewer", hangs)
    world.fake.setStopMillis(500)
    const automation = yield* world.automate()
    const { id } = yield* world.run(automation.id)
    const claim = yield* (yield* RunQueue).claim(machineId, { leaseMillis: 600_000, maxConcurrentRuns: 4 })
    if (claim?.run.id !== id) return yield* Effect.die(new Error("The run was not claimed"))
    const workspace = yield* world.as(createWorkspace({ projectId: world.project.id, name: "Left" }))
    const half = yield* world.as(createWorkspace({ projectId: world.project.id, name: "Half" }))
    const workspaces = yield* WorkspaceStore
    yield* workspaces.transition(world.organizationId, half.id, ["ready"], "deleting", {}, yield* DateTime.now)
    const connection = yield* (yield* HostGateway).connect(world.host)
    const sessionId = yield* newId(AgentSessionId)
    const at = yield* DateTime.now
    yield* (yield* AgentSessionStore).create({
      id: sessionId,
      organizationId: world.organizationId,
      workspaceId: workspace.id,
      agent: "reviewer",
      title: "left",
      status: "running",
      createdAt: at,
      updatedAt: at
    })
    yield* connection.agentLauncher.start({
      sessionId,
      workspaceId: workspace.id,
      agent: "reviewer",
      directory: workspace.path!,
      prompt: new Uint8Array(),
      environment: {},
      deadline: DateTime.add(at, { minutes: 1 })
    })
    yield* (yield* RunQueue).update(claim.lease, "preparing", "running", { agentSessionId: sessionId, workspaceId: workspace.id })
    world.fake.restart()
    return { ...world, id, connection, half }
  })

  it.effect("ends what was left running before it gives up the leases, so that no second attempt runs beside it", () =>
    Effect.gen(function*() {
      const world = yield* killedWorld
      const link = yield* StoreLink
      const order: Array<string> = []
      link.before = (name) =>
        Effect.sync(() => {
          if (!["AgentSessionStore.unsettled", "WorkspaceStore.unsettled", "RunQueue.reclaim", "RunQueue.claim"].includes(name)) return
          if (order.at(-1) !== name) order.push(name)
          assert.lengthOf(world.fake.running(), 0)
        })
      yield* startWorker()
      yield* until("a second attempt runs", Effect.sync(() => world.fake.processes().length === 2))
      assert.deepStrictEqual(order.slice(0, 4), [
        "AgentSessionStore.unsettled",
        "WorkspaceStore.unsettled",
        "RunQueue.reclaim",
        "RunQueue.claim"
      ])
      const run = yield* world.getRun(world.id)
      assert.strictEqual(run.attempt, 2)
      const [left] = yield* world.sessions
      assert.deepStrictEqual([left?.status, left?.failure?.reason], ["failed", "interrupted"])
    }).pipe(Effect.provide(worldLayer)))

  it.effect("finds out what became of a workspace that was being deleted", () =>
    Effect.gen(function*() {
      const world = yield* killedWorld
      const store = yield* WorkspaceStore
      const gone = yield* world.as(createWorkspace({ projectId: world.project.id, name: "Gone" }))
      yield* store.transition(world.organizationId, gone.id, ["ready"], "deleting", {}, yield* DateTime.now)
      world.fake.loseWorktree(gone.path!)
      yield* startWorker()
      yield* until("a second attempt runs", Effect.sync(() => world.fake.processes().length === 2))
      assert.strictEqual((yield* store.get(world.organizationId, gone.id))?.status, "deleted")
      // Of the other one the worktree is still there.
      assert.strictEqual((yield* store.get(world.organizationId, world.half.id))?.status, "ready")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("takes down a workspace that was being made", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { worktrees } = yield* (yield* HostGateway).connect(world.host)
      const at = yield* DateTime.now
      const id = yield* newId(WorkspaceId)
      yield* (yield* WorkspaceStore).create({
        id,
        organizationId: world.organizationId,
        name: "Cut off",
        projectId: world.project.id,
        hostId: world.host.id,
        status: "creating",
        branch: "coppice/cut-off",
        baseBranch: "main",
        createdAt: at,
        updatedAt: at
      })
      yield* Stream.runDrain(worktrees.create({
        workspaceId: id,
        projectId: world.project.id,
        repositoryPath: world.project.repositoryPath,
        trusted: false,
        branch: "coppice/cut-off",
        existingBranch: false,
        base: "main",
        deadline: DateTime.add(at, { minutes: 1 })
      }))
      assert.lengthOf(world.fake.worktrees(), 1)
      yield* startWorker()
      yield* until("it is settled", Effect.map(world.workspaces, ([workspace]) => workspace?.status === "failed"))
      assert.lengthOf(world.fake.worktrees(), 0)
      assert.strictEqual((yield* world.workspaces)[0]?.failure?.reason, "interrupted")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("settles when the store comes back, if it is away at the start", () =>
    Effect.gen(function*() {
      const world = yield* killedWorld
      const link = yield* StoreLink
      link.away = true
      yield* startWorker()
      yield* TestClock.adjust("20 seconds")
      assert.lengthOf(world.fake.running(), 0)
      link.away = false
      yield* until("a second attempt runs", Effect.sync(() => world.fake.running().length === 1))
    }).pipe(Effect.provide(worldLayer)))
})
