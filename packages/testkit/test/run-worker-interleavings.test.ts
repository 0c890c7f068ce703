// Whatever happens to stores, links and servers, and in whatever order: no two agents ever work on one run at once.
import { hasEnded, type Run } from "@coppice/core"
import { takes } from "@coppice/testkit/fake"
import { it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { assert } from "vitest"
import { makeWorld, startWorker, StoreLink, until, worldLayer } from "./world.ts"

const Step = Schema.Struct({
  what: Schema.Literals([
    "start a run",
    "cancel a run",
    "store away",
    "store back",
    "lose the link",
    "lose a start",
    "start and lose the link",
    "lose a stop",
    "stop the server",
    "start the server",
    "wait"
  ]),
  millis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8000 }))
})

const Steps = Schema.Array(Step).check(Schema.isMinLength(4), Schema.isMaxLength(30))

/** How many processes of a run were alive in the same moment, at the most. */
const mostAtOnce = (intervals: ReadonlyArray<{ readonly from: number; readonly to: number }>): number =>
  Math.max(0, ...intervals.map(({ from }) => intervals.filter((other) => other.from <= from && from < other.to).length))

it.effect.prop("two attempts of one run never have an agent at work at once, and every run comes to an end", [Steps], ([steps]) =>
  Effect.gen(function*() {
    const world = yield* makeWorld
    const link = yield* StoreLink
    world.fake.script("reviewer", takes(15_000))
    world.fake.setStopMillis(2500)
    const automation = yield* world.automate({ maxAttempts: 3 })
    const runs: Array<Run> = [yield* world.run(automation.id), yield* world.run(automation.id)]
    let worker = yield* startWorker()
    let stopping: Fiber.Fiber<void> | undefined
    const stopped = () => stopping !== undefined
    const startServer = Effect.gen(function*() {
      if (stopping === undefined) return
      // One server at a time has the machine: the next begins when the last one has ended.
      const ending = stopping
      link.away = false
      yield* until("the server has stopped", Effect.sync(() => ending.pollUnsafe() !== undefined), 120_000)
      world.fake.restart()
      worker = yield* startWorker()
      stopping = undefined
    })
    for (const { millis, what } of steps) {
      switch (what) {
        case "start a run":
          if (!link.away) runs.push(yield* world.run(automation.id))
          break
        case "cancel a run":
          if (!link.away && runs.length > 0) yield* Effect.ignore(world.cancel(runs[millis % runs.length]!.id))
          break
        case "store away":
          link.away = true
          break
        case "store back":
          link.away = false
          break
        case "lose the link":
          world.fake.loseLink()
          break
        case "lose a start":
          world.fake.interject("AgentLauncher.start", "link_lost_before")
          break
        case "start and lose the link":
          world.fake.interject("AgentLauncher.start", "link_lost_after")
          break
        case "lose a stop":
          world.fake.interject("AgentLauncher.stop", "link_lost_before")
          break
        case "stop the server":
          if (!stopped()) stopping = yield* Effect.forkChild(Fiber.interrupt(worker), { startImmediately: true })
          break
        case "start the server":
          yield* startServer
          break
        case "wait":
          break
      }
      yield* TestClock.adjust(millis)
    }
    link.away = false
    yield* startServer
    for (const { id } of runs) {
      yield* until("the run has ended", Effect.map(world.getRun(id), ({ status }) => hasEnded(status)), 600_000, 500)
    }
    yield* until("no agent is left", Effect.sync(() => world.fake.running().length === 0))
    for (const { id } of runs) {
      const processes = world.fake.processes().filter(({ launch }) => launch.environment["COPPICE_RUN_ID"] === id)
      const intervals = processes.map(({ endedAtMillis, startedAt }) => ({
        from: startedAt.epochMilliseconds,
        to: endedAtMillis!
      }))
      assert.isAtMost(mostAtOnce(intervals), 1)
      // No two attempts share a workspace either.
      assert.strictEqual(new Set(processes.map(({ launch }) => launch.workspaceId)).size, processes.length)
    }
    // Nor does a record say that something still goes on.
    for (const { status } of yield* world.sessions) assert.include(["completed", "failed", "cancelled"], status)
    for (const { status } of yield* world.workspaces) assert.include(["ready", "failed"], status)
  }).pipe(Effect.provide(worldLayer), Effect.scoped), { timeout: 60_000, arbitrary: { runs: 100 } })
