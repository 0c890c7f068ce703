import type { Agent, AgentEvent, AgentSessionId, Launch, Timestamp } from "@coppice/core"
import { AgentUnavailable } from "@coppice/core"
import type { AgentLauncher } from "@coppice/core/ports"
import { Clock, DateTime, Effect, Fiber, Option, Scope, Semaphore, Stream } from "effect"
import type { AgentExit, AgentScript, FakeAgent } from "./agent-script.ts"
import { linkLost } from "./calls.ts"
import type { Machine } from "./machine.ts"
import { changeWorktree, commitWorktree } from "./machine.ts"

type EventBody<E = AgentEvent> = E extends AgentEvent ? Omit<E, "sequence"> : never

/** A session's process, from its start; it stays on record when it has ended. */
export interface FakeProcess {
  readonly launch: Launch
  readonly pid: number
  readonly startedAt: Timestamp
  readonly events: Array<AgentEvent>
  endedAtMillis?: number
  /** Whether it was started in an earlier life of the host: it can be settled, and no more be watched. */
  earlier: boolean
}

/** The agents that a host has, and what a test scripts of them. */
export interface AgentConfiguration {
  readonly agents: Map<string, { readonly agent: Agent; readonly script: AgentScript }>
  /** How long it takes until no process of a session is left. */
  stopMillis: number
  readonly processes: Map<AgentSessionId, FakeProcess>
  /** Breaks the streams of those who watch at the moment. */
  loseLink: () => void
  /** The host begins a new life: what runs goes on, and nobody can watch it any more. */
  restart: () => void
}

export const isRunning = (process: FakeProcess): boolean => process.endedAtMillis === undefined

export const makeAgentLauncher = Effect.fnUntraced(function*(machine: Machine, configuration: AgentConfiguration) {
  const { calls } = machine
  const { processes } = configuration
  const scope = yield* Scope.Scope
  const fibers = new Map<AgentSessionId, Fiber.Fiber<void>>()
  const locks = new Map<AgentSessionId, Semaphore.Semaphore>()
  const listeners = new Set<() => void>()
  let link = 0
  let pid = 1000

  const wake = () => [...listeners].forEach((listener) => listener())
  configuration.loseLink = () => {
    link++
    wake()
  }
  configuration.restart = () => {
    for (const process of processes.values()) process.earlier = true
    link++
    wake()
  }

  /** One start or stop of a session at a time, so that a stop never misses what is just being started. */
  const exclusively = (id: AgentSessionId) => {
    const lock = locks.get(id) ?? Semaphore.makeUnsafe(1)
    locks.set(id, lock)
    return lock.withPermit
  }

  const emit = (process: FakeProcess, event: EventBody) =>
    Effect.sync(() => {
      if (!isRunning(process)) return
      process.events.push({ ...event, sequence: process.events.length + 1 } as AgentEvent)
      wake()
    })

  const exit = (process: FakeProcess, how: AgentExit) =>
    Effect.flatMap(Clock.currentTimeMillis, (atMillis) =>
      Effect.andThen(emit(process, { _tag: "Exited", ...how }), Effect.sync(() => {
        process.endedAtMillis ??= atMillis
        wake()
      })))

  const agentOf = (process: FakeProcess): FakeAgent => {
    const { directory, prompt } = process.launch
    const worktree = () => machine.worktrees.get(directory)
    return {
      launch: process.launch,
      prompt: new TextDecoder().decode(prompt),
      print: (text, stream = "stdout") => emit(process, { _tag: "Output", stream, text }),
      drop: (bytes) => emit(process, { _tag: "Dropped", bytes }),
      change: (changes) => Effect.sync(() => worktree() && changeWorktree(worktree()!, changes)),
      commit: Effect.sync(() => {
        const repository = machine.repositories.get(worktree()?.repositoryPath ?? "")
        if (repository !== undefined) commitWorktree(repository, worktree()!)
      })
    }
  }

  const start = Effect.fnUntraced(function*(launch: Launch) {
    const known = processes.get(launch.sessionId)
    if (known !== undefined) return { pid: known.pid, startedAt: known.startedAt }
    const entry = configuration.agents.get(launch.agent)
    if (entry === undefined) {
      return yield* new AgentUnavailable({ message: `No agent "${launch.agent}" is configured on this host.` })
    }
    if (entry.agent.unavailableReason !== undefined) {
      return yield* new AgentUnavailable({ message: entry.agent.unavailableReason })
    }
    if (machine.worktrees.get(launch.directory)?.ready !== true) {
      return yield* new AgentUnavailable({ message: "The working folder is no worktree of this host." })
    }
    const startedAt = yield* DateTime.now
    if (DateTime.isGreaterThanOrEqualTo(startedAt, launch.deadline)) {
      return yield* new AgentUnavailable({ message: "It was too late to start the agent: its deadline has passed." })
    }
    const process: FakeProcess = { launch, pid: pid++, startedAt, events: [], earlier: false }
    processes.set(launch.sessionId, process)
    const life = Effect.flatMap(entry.script(agentOf(process)), (how) => exit(process, how))
    fibers.set(launch.sessionId, yield* Effect.forkIn(life, scope, { startImmediately: true }))
    return { pid: process.pid, startedAt }
  }, Effect.uninterruptible)

  const end = Effect.fnUntraced(function*(process: FakeProcess) {
    if (!isRunning(process)) return
    // It goes on doing what it does until the last process of the tree is gone.
    yield* Effect.sleep(configuration.stopMillis)
    const fiber = fibers.get(process.launch.sessionId)
    if (fiber !== undefined) yield* Fiber.interrupt(fiber)
    yield* exit(process, { signal: "SIGTERM" })
  }, Effect.uninterruptible)

  const watch = (id: AgentSessionId, afterSequence: number) => {
    const process = processes.get(id)
    if (process === undefined || process.earlier) return Stream.empty
    const since = link
    return Stream.paginate(afterSequence, (after) =>
      Effect.gen(function*() {
        const news = () => process.events.filter(({ sequence }) => sequence > after)
        if (news().length === 0 && isRunning(process) && link === since) {
          yield* Effect.callback<void>((resume) => {
            const listener = () => {
              if (news().length > 0 || link !== since || !isRunning(process)) resume(Effect.void)
            }
            listeners.add(listener)
            return Effect.sync(() => listeners.delete(listener))
          }).pipe(Effect.ensuring(Effect.void))
        }
        if (link !== since) return yield* linkLost()
        const events = news()
        const last = events.at(-1)
        const ended = last === undefined || last._tag === "Exited"
        return [events, ended ? Option.none<number>() : Option.some(last.sequence)] as const
      }))
  }

  const launcher: AgentLauncher["Service"] = {
    agents: () =>
      calls.call("AgentLauncher.agents", undefined, Effect.sync(() => [...configuration.agents.values()].map(({ agent }) => agent))),
    start: (launch) => calls.call("AgentLauncher.start", launch, exclusively(launch.sessionId)(start(launch))),
    watch: (id, afterSequence) =>
      Effect.gen(function*() {
        const { call, trouble } = yield* calls.begin("AgentLauncher.watch", { id, afterSequence })
        yield* Effect.addFinalizer(() => calls.end(call))
        yield* calls.reach(trouble === "link_lost_after" ? "link_lost_before" : trouble)
        return watch(id, afterSequence)
      }).pipe(Stream.unwrap),
    stop: (id) =>
      calls.call(
        "AgentLauncher.stop",
        id,
        exclusively(id)(Effect.suspend(() => {
          const process = processes.get(id)
          return process === undefined ? Effect.void : end(process)
        }))
      ),
    settle: () =>
      calls.call(
        "AgentLauncher.settle",
        undefined,
        Effect.suspend(() => {
          const left = [...processes.values()].filter((process) => process.earlier && isRunning(process))
          return Effect.as(
            Effect.forEach(left, end, { concurrency: "unbounded", discard: true }),
            left.map(({ launch }) => launch.sessionId)
          )
        })
      )
  }
  return launcher
})
