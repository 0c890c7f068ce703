import { maxPayloadBytes } from "@coppice/core"
import { dies, echoes, exits, hangs, takes } from "@coppice/testkit/fake"
import { it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe } from "vitest"
import { makeWorld, startWorker, until, worldLayer } from "./world.ts"

const setUp = (...command: ReadonlyArray<string>) => ({ commands: [command] })

describe("the worker", () => {
  it.effect("does a run: prepares a workspace, starts the agent in it, and stores how it ended", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      const run = yield* world.reaches(id, "succeeded")
      assert.strictEqual(run.attempt, 1)
      assert.strictEqual(run.exitCode, 0)
      assert.isUndefined(run.failure)
      const [workspace] = yield* world.workspaces
      assert.strictEqual(workspace?.status, "ready")
      assert.strictEqual(run.workspaceId, workspace?.id)
      const [session] = yield* world.sessions
      assert.strictEqual(session?.status, "completed")
      assert.strictEqual(session?.exitCode, 0)
      assert.strictEqual(run.agentSessionId, session?.id)
      const [process] = world.fake.processes()
      assert.strictEqual(process?.launch.directory, workspace?.path)
      assert.deepStrictEqual(process?.launch.environment, {
        COPPICE_RUN_ID: id,
        COPPICE_WORKSPACE_ID: workspace!.id,
        COPPICE_AGENT_SESSION_ID: session!.id
      })
    }).pipe(Effect.provide(worldLayer)))

  it.effect("gives the agent the automation's prompt and the whole payload, fenced as data", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", echoes)
      const automation = yield* world.automate({ prompt: "Look at the pull request." })
      const payload = { text: "x".repeat(maxPayloadBytes - 100) }
      const { id } = yield* world.run(automation.id, payload)
      yield* startWorker()
      yield* world.reaches(id, "succeeded")
      const text = new TextDecoder().decode(world.fake.processes()[0]!.launch.prompt)
      assert.isTrue(text.startsWith("Look at the pull request.\n\n"))
      assert.include(text, `\n${JSON.stringify(payload)}\n-----`)
      const output = (yield* world.events(id)).filter(({ type }) => type === "output").map(({ text }) => text).join("")
      assert.strictEqual(output, text)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("writes down what happens in its order, and joins what is printed in small pieces", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* world.changeProject({ setup: setUp("print", "installing") })
      world.fake.script("reviewer", ({ drop, print }) =>
        Effect.gen(function*() {
          yield* print("one ")
          yield* print("two\n")
          yield* print("oh\n", "stderr")
          yield* drop(17)
          yield* Effect.sleep(1000)
          yield* print("three\n")
          return { exitCode: 0 }
        }))
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      const { workspaceId } = yield* world.reaches(id, "succeeded")
      const branch = (yield* world.workspaces).find(({ id }) => id === workspaceId)!.branch
      const events = yield* world.events(id)
      assert.deepStrictEqual(
        events.map(({ bytes, status, stream, text, type }) => [type, status ?? stream ?? bytes, text]),
        [
          ["status", "preparing", undefined],
          ["progress", undefined, `Checked out ${branch}`],
          ["setup_output", undefined, "installing\n"],
          ["status", "running", undefined],
          ["output", "stdout", "one two\n"],
          ["output", "stderr", "oh\n"],
          ["output_dropped", 17, undefined],
          ["output", "stdout", "three\n"],
          ["status", "succeeded", undefined]
        ]
      )
      assert.deepStrictEqual(events.map(({ sequence }) => sequence), events.map((_, place) => place + 1))
    }).pipe(Effect.provide(worldLayer)))

  it.effect.each([
    { how: exits(3), exitCode: 3, message: "The agent exited with code 3." },
    { how: dies("SIGSEGV"), exitCode: undefined, message: "The agent was ended by SIGSEGV." }
  ])("fails a run whose agent does not exit with 0: $message", ({ exitCode, how, message }) =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", how)
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      const run = yield* world.reaches(id, "failed")
      assert.deepStrictEqual(run.failure, { reason: "agent_exit", message })
      assert.strictEqual(run.exitCode, exitCode)
      const [session] = yield* world.sessions
      assert.strictEqual(session?.status, "failed")
      assert.deepStrictEqual(session?.failure, run.failure)
      assert.strictEqual((yield* world.events(id)).at(-1)?.text, message)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("ends an agent that takes longer than the automation's time-out", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", hangs)
      const automation = yield* world.automate({ timeoutSeconds: 90 })
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      yield* world.reaches(id, "running")
      yield* TestClock.adjust("89 seconds")
      assert.strictEqual((yield* world.getRun(id)).status, "running")
      const run = yield* world.reaches(id, "failed", 2000)
      assert.strictEqual(run.failure?.reason, "timeout")
      assert.lengthOf(world.fake.running(), 0)
      assert.strictEqual((yield* world.sessions)[0]?.failure?.reason, "timeout")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("fails a run whose set-up commands fail, with what they printed, and leaves no worktree", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* world.changeProject({ setup: { commands: [["print", "no space"], ["exit", "2"]] } })
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      const run = yield* world.reaches(id, "failed")
      assert.deepStrictEqual(run.failure, { reason: "setup", message: "exit 2 exited with code 2." })
      assert.include((yield* world.events(id)).map(({ text }) => text), "no space\n")
      const [workspace] = yield* world.workspaces
      assert.strictEqual(workspace?.status, "failed")
      assert.deepStrictEqual(workspace?.failure, run.failure)
      assert.lengthOf(world.fake.worktrees(), 0)
      assert.lengthOf(world.fake.processes(), 0)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("fails a run whose agent is not installed, and lets its workspace stay", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", exits(0), { unavailableReason: "reviewer is not installed." })
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      const run = yield* world.reaches(id, "failed")
      assert.deepStrictEqual(run.failure, { reason: "agent_unavailable", message: "reviewer is not installed." })
      assert.strictEqual((yield* world.sessions)[0]?.status, "failed")
      assert.strictEqual((yield* world.workspaces)[0]?.status, "ready")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("cancels a queued run at once, without a worker", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      assert.strictEqual((yield* world.cancel(id)).status, "cancelled")
      yield* startWorker()
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* world.getRun(id)).attempt, 0)
      assert.deepStrictEqual((yield* world.events(id)).map(({ status }) => status), ["cancelled"])
    }).pipe(Effect.provide(worldLayer)))

  it.effect("cancels a run that is being prepared, and leaves nothing of its worktree", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* world.changeProject({ setup: setUp("hang") })
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      yield* until("the worktree is being made", Effect.sync(() => world.fake.worktrees().length === 1))
      yield* world.cancel(id)
      const run = yield* world.reaches(id, "cancelled", 1000)
      assert.isDefined(run.endedAt)
      assert.lengthOf(world.fake.worktrees(), 0)
      assert.strictEqual((yield* world.workspaces)[0]?.status, "failed")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("cancels a run that is running: its agent is ended first, and its workspace stays", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", hangs)
      world.fake.setStopMillis(2000)
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      yield* world.reaches(id, "running")
      yield* world.cancel(id)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* world.getRun(id)).status, "running")
      yield* world.reaches(id, "cancelled", 2000)
      assert.lengthOf(world.fake.running(), 0)
      assert.strictEqual((yield* world.sessions)[0]?.status, "cancelled")
      assert.strictEqual((yield* world.workspaces)[0]?.status, "ready")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("takes up a link that was lost while it watched, and writes nothing down twice", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", ({ print }) =>
        Effect.gen(function*() {
          for (let line = 0; line < 20; line++) {
            yield* print(`${line}\n`)
            yield* Effect.sleep(200)
          }
          return { exitCode: 0 }
        }))
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      yield* world.reaches(id, "running")
      for (let time = 0; time < 3; time++) {
        yield* TestClock.adjust(730)
        world.fake.loseLink()
      }
      yield* world.reaches(id, "succeeded")
      const output = (yield* world.events(id)).filter(({ type }) => type === "output").map(({ text }) => text).join("")
      assert.strictEqual(output, Array.from({ length: 20 }, (_, line) => `${line}\n`).join(""))
      assert.lengthOf(world.fake.processes(), 1)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("never lets a run's end come before the last word of its agent", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", ({ print }) => Effect.andThen(Effect.sleep(10), Effect.as(print("bye\n"), { exitCode: 0 })))
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* startWorker()
      yield* world.reaches(id, "succeeded")
      assert.deepStrictEqual((yield* world.events(id)).slice(-2).map(({ status, text }) => status ?? text), ["bye\n", "succeeded"])
    }).pipe(Effect.provide(worldLayer)))

  it.effect("keeps its host online with what it tells of itself, and marks the hosts of machines that are gone", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* startWorker()
      yield* TestClock.adjust("2 minutes")
      const [host] = yield* world.hosts
      assert.strictEqual(host?.status, "online")
      assert.isAbove(DateTime.toEpochMillis(host!.lastSeenAt), 110_000)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("prepares nothing while too little disk is free, says so, and goes on when there is room", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.setFreeBytes(5 * 1024 ** 2)
      yield* startWorker()
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      yield* TestClock.adjust("30 seconds")
      const run = yield* world.getRun(id)
      assert.strictEqual(run.status, "queued")
      assert.strictEqual(run.waitingFor, "host_held")
      assert.strictEqual(run.queuePosition, 1)
      world.fake.setFreeBytes(5 * 1024 ** 3)
      yield* world.reaches(id, "succeeded", 10_000)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("lets agents work side by side, as many as the host takes, the oldest run first", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", takes(10_000))
      yield* startWorker({ maxConcurrentRuns: 3 })
      const automation = yield* world.automate()
      const runs = yield* Effect.forEach([1, 2, 3, 4, 5], () => world.run(automation.id))
      yield* until("three run", Effect.sync(() => world.fake.running().length === 3))
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(world.fake.running(), 3)
      for (const [place, { id }] of runs.entries()) {
        assert.strictEqual((yield* world.getRun(id)).status, place < 3 ? "running" : "queued")
      }
      for (const { id } of runs) yield* world.reaches(id, "succeeded")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("holds an automation to its own cap, and lets others pass", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", takes(10_000))
      yield* startWorker()
      const capped = yield* world.automate({ maxConcurrentRuns: 1 })
      const free = yield* world.automate({ name: "Free" })
      const first = yield* world.run(capped.id)
      const second = yield* world.run(capped.id)
      const third = yield* world.run(free.id)
      yield* world.reaches(first.id, "running")
      yield* world.reaches(third.id, "running")
      const waiting = yield* world.getRun(second.id)
      assert.strictEqual(waiting.status, "queued")
      assert.strictEqual(waiting.waitingFor, "automation_capacity")
      yield* world.reaches(second.id, "succeeded")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("does the runs of an automation that reuses its workspace one after the other, in one worktree", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const order: Array<string> = []
      world.fake.script("reviewer", ({ change, launch }) =>
        Effect.gen(function*() {
          order.push(`+${launch.environment["COPPICE_RUN_ID"]}`)
          yield* Effect.sleep(2000)
          yield* change({ [`${order.length}.txt`]: "x" })
          order.push(`-${launch.environment["COPPICE_RUN_ID"]}`)
          return { exitCode: 0 }
        }))
      yield* startWorker()
      const automation = yield* world.automate({ workspaceMode: "reuse" })
      const runs = yield* Effect.forEach([1, 2, 3], () => world.run(automation.id))
      for (const { id } of runs) yield* world.reaches(id, "succeeded")
      assert.deepStrictEqual(order, runs.flatMap(({ id }) => [`+${id}`, `-${id}`]))
      assert.lengthOf(yield* world.workspaces, 1)
      assert.lengthOf(world.fake.worktrees(), 1)
      assert.isTrue(world.fake.worktrees()[0]?.files.has("5.txt"))
    }).pipe(Effect.provide(worldLayer)))

  it.effect("makes a new workspace for a reusing automation whose workspace was deleted", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* startWorker()
      const automation = yield* world.automate({ workspaceMode: "reuse" })
      const first = yield* world.run(automation.id)
      const { workspaceId } = yield* world.reaches(first.id, "succeeded")
      yield* world.deleteWorkspace(workspaceId!)
      const second = yield* world.run(automation.id)
      assert.notStrictEqual((yield* world.reaches(second.id, "succeeded")).workspaceId, workspaceId)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("keeps the newest clean workspaces of an automation, and every one in which something changed", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      let number = 0
      world.fake.script("reviewer", ({ change }) =>
        Effect.suspend(() => Effect.as(number++ % 10 === 0 ? change({ "new.txt": "x" }) : Effect.void, { exitCode: 0 })))
      yield* startWorker()
      const automation = yield* world.automate()
      for (let time = 0; time < 35; time++) {
        const { id } = yield* world.run(automation.id)
        yield* world.reaches(id, "succeeded")
      }
      yield* TestClock.adjust("1 second")
      const dirty = world.fake.worktrees().filter(({ files }) => files.has("new.txt"))
      assert.lengthOf(dirty, 4)
      const clean = world.fake.worktrees().length - dirty.length
      assert.isAtLeast(clean, 20)
      assert.isAtMost(clean, 30)
      const ready = (yield* world.workspaces).filter(({ status }) => status === "ready")
      assert.lengthOf(ready, world.fake.worktrees().length)
      // The newest are among those that stayed.
      assert.deepStrictEqual(ready.slice(-20).map(({ id }) => id), (yield* world.workspaces).slice(-20).map(({ id }) => id))
    }).pipe(Effect.provide(worldLayer)))
})
