import { type AgentEvent, AgentSessionId, type Launch, newId, now } from "@coppice/core"
import { AgentLauncher } from "@coppice/core/ports"
import { DateTime, Effect, Fiber, Stream } from "effect"
import { assert } from "vitest"
import { beforeLong, failsWith, test, twenty } from "./check.ts"
import { HostFixture, hostContract } from "./host-fixture.ts"
import { newLaunch } from "./seed-worktree.ts"

/** Starts an agent. Whatever becomes of the test, it is stopped. */
const start = Effect.fnUntraced(function*(launch: Launch) {
  const launcher = yield* AgentLauncher
  yield* Effect.addFinalizer(() => Effect.ignore(launcher.stop(launch.sessionId)))
  return yield* launcher.start(launch)
})

const watch = (id: AgentSessionId, afterSequence = 0) =>
  Effect.gen(function*() {
    const launcher = yield* AgentLauncher
    return yield* beforeLong(Stream.runCollect(launcher.watch(id, afterSequence)), "the events do not end")
  })

/** Follows a session until its agent has begun to work. */
const atWork = (id: AgentSessionId) =>
  Effect.gen(function*() {
    const launcher = yield* AgentLauncher
    yield* beforeLong(Stream.runHead(launcher.watch(id, 0)), "the agent prints nothing")
  })

const textOf = (events: ReadonlyArray<AgentEvent>): string =>
  events.map((event) => event._tag === "Output" && event.stream === "stdout" ? event.text : "").join("")

export const agentLauncherContract = hostContract("AgentLauncher", () => [
  test("tells what is configured, with the reason where an agent cannot be used", Effect.gen(function*() {
    const { agents: { echo, exits3, hangs, missing } } = yield* HostFixture
    const agents = new Map((yield* (yield* AgentLauncher).agents()).map((agent) => [agent.id, agent]))
    for (const id of [echo, exits3, hangs]) {
      assert.isDefined(agents.get(id))
      assert.isUndefined(agents.get(id)?.unavailableReason)
    }
    assert.isString(agents.get(missing)?.unavailableReason)
  })),
  test("gives an agent its prompt, whole, and tells what it prints and how it ends, in order", Effect.gen(function*() {
    const { agents } = yield* HostFixture
    const prompt = `Review it.\n${"äöü𝔘 \"$HOME\" `ls`\n".repeat(2_000)}`
    const launch = yield* newLaunch(agents.echo, prompt)
    yield* start(launch)
    const events = yield* watch(launch.sessionId)
    assert.strictEqual(textOf(events), prompt)
    assert.deepInclude(events.at(-1)!, { _tag: "Exited", exitCode: 0 })
    assert.strictEqual(events.filter(({ _tag }) => _tag === "Exited").length, 1)
    const sequences = events.map(({ sequence }) => sequence)
    assert.deepStrictEqual(sequences, sequences.toSorted((left, right) => left - right))
    assert.strictEqual(new Set(sequences).size, sequences.length)
    assert.isAbove(sequences[0]!, 0)
  })),
  test("tells an exit code that is not 0", Effect.gen(function*() {
    const { agents } = yield* HostFixture
    const launch = yield* newLaunch(agents.exits3)
    yield* start(launch)
    assert.deepInclude((yield* watch(launch.sessionId)).at(-1)!, { _tag: "Exited", exitCode: 3 })
  })),
  test("answers the same process for the same launch again, also for twenty at once", Effect.gen(function*() {
    const { agents } = yield* HostFixture
    const launch = yield* newLaunch(agents.hangs)
    const started = yield* twenty(() => start(launch))
    assert.strictEqual(new Set(started.map(({ pid }) => pid)).size, 1)
    assert.strictEqual((yield* start(launch)).pid, started[0]!.pid)
    yield* (yield* AgentLauncher).stop(launch.sessionId)
    assert.strictEqual((yield* watch(launch.sessionId)).filter(({ _tag }) => _tag === "Exited").length, 1)
  })),
  test("starts nothing, with AgentUnavailable, for an agent that is not configured or not there", Effect.gen(function*() {
    const { agents } = yield* HostFixture
    for (const agent of [agents.missing, "no-such-agent"]) {
      const launch = yield* newLaunch(agent)
      yield* failsWith("AgentUnavailable", start(launch))
      assert.deepStrictEqual(yield* watch(launch.sessionId), [])
    }
  })),
  test("starts nothing, with AgentUnavailable, after the deadline", Effect.gen(function*() {
    const { agents } = yield* HostFixture
    const launch = yield* newLaunch(agents.echo, "", { deadline: DateTime.subtract(yield* now, { seconds: 1 }) })
    yield* failsWith("AgentUnavailable", start(launch))
    assert.deepStrictEqual(yield* watch(launch.sessionId), [])
  })),
  test("tells the events after a sequence, to its exit", Effect.gen(function*() {
    const { agents } = yield* HostFixture
    const launch = yield* newLaunch(agents.echo, "one\n")
    yield* start(launch)
    const all = yield* watch(launch.sessionId)
    for (const [place, { sequence }] of all.entries()) {
      if (place < all.length - 1) {
        assert.deepStrictEqual(yield* watch(launch.sessionId, sequence), all.slice(place + 1))
      }
    }
  })),
  test("tells the same to all who watch", Effect.gen(function*() {
    const { agents } = yield* HostFixture
    const launch = yield* newLaunch(agents.echo, "one\n")
    yield* start(launch)
    const told = yield* Effect.all([watch(launch.sessionId), watch(launch.sessionId), watch(launch.sessionId)], {
      concurrency: "unbounded"
    })
    for (const events of told) assert.deepStrictEqual(events, told[0])
  })),
  test("ends at once for an unknown session", Effect.gen(function*() {
    assert.deepStrictEqual(yield* watch(yield* newId(AgentSessionId)), [])
  })),
  test("stops a session, and those who watch are told its exit", Effect.gen(function*() {
    const launcher = yield* AgentLauncher
    const { agents } = yield* HostFixture
    const launch = yield* newLaunch(agents.hangs)
    yield* start(launch)
    yield* atWork(launch.sessionId)
    const watching = yield* Effect.forkScoped(watch(launch.sessionId))
    yield* launcher.stop(launch.sessionId)
    const exit = (yield* Fiber.join(watching)).at(-1)
    assert.strictEqual(exit?._tag, "Exited")
    assert.isTrue(exit?._tag === "Exited" && exit.exitCode !== 0)
  })),
  test("stops nothing for a session that has ended, was stopped or is unknown: that is fine", Effect.gen(function*() {
    const launcher = yield* AgentLauncher
    const { agents } = yield* HostFixture
    const ended = yield* newLaunch(agents.echo)
    yield* start(ended)
    const events = yield* watch(ended.sessionId)
    const running = yield* newLaunch(agents.hangs)
    yield* start(running)
    yield* twenty(() => launcher.stop(running.sessionId))
    for (const id of [ended.sessionId, running.sessionId, yield* newId(AgentSessionId)]) yield* launcher.stop(id)
    assert.deepStrictEqual(yield* watch(ended.sessionId), events)
  })),
  test("stops one session, and no other", Effect.gen(function*() {
    const launcher = yield* AgentLauncher
    const { agents } = yield* HostFixture
    const [first, second] = [yield* newLaunch(agents.hangs), yield* newLaunch(agents.hangs)]
    yield* start(first)
    yield* start(second)
    const watching = yield* Effect.forkScoped(watch(second.sessionId))
    yield* launcher.stop(first.sessionId)
    assert.isUndefined(watching.pollUnsafe())
    yield* launcher.stop(second.sessionId)
    assert.strictEqual((yield* Fiber.join(watching)).at(-1)?._tag, "Exited")
  })),
  test("settles nothing that was started in this life", Effect.gen(function*() {
    const launcher = yield* AgentLauncher
    const { agents } = yield* HostFixture
    const launch = yield* newLaunch(agents.hangs)
    yield* start(launch)
    assert.notInclude(yield* launcher.settle(), launch.sessionId)
    yield* launcher.stop(launch.sessionId)
    assert.deepInclude((yield* watch(launch.sessionId)).at(-1)!, { _tag: "Exited" })
  }))
])
