import type { AgentEvent, AgentSessionId, Launch } from "@coppice/core"
import { AgentUnavailable } from "@coppice/core"
import type { AgentLauncher } from "@coppice/core/ports"
import { Array, DateTime, Effect, Option, Scope, Stream } from "effect"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { availability } from "./agent/availability.ts"
import { deliver } from "./agent/prompt.ts"
import { Sessions } from "./agent/sessions.ts"
import { spawnProblem } from "./agent/spawn-problem.ts"
import { insideFolder } from "./file/containment.ts"
import { writeDurably } from "./file/durable-file.ts"
import { emptyFolder, removeUnfinished } from "./file/folder.ts"
import { untorn } from "./file/untorn.ts"
import type { HostContext } from "./host-context.ts"
import { makeKeyedLock } from "./keyed-lock.ts"
import { childEnvironment } from "./process/environment.ts"
import { startJob } from "./process/job.ts"
import { OutputRing } from "./process/output-ring.ts"
import { settleProcesses } from "./process/settle.ts"
import { openTranscript } from "./process/transcript.ts"
import { millisUntil } from "./real-time.ts"

/** The agents of this machine. When the scope ends, so does every process. */
export const makeAgentLauncher = (
  context: HostContext
): Effect.Effect<AgentLauncher["Service"], never, Scope.Scope> =>
  Effect.gen(function*() {
    const { agents, environment, excludedPathEntries, folders, jobs } = context
    const sessions = new Sessions({ endedSessions: context.endedSessions, knownSessions: 1000 })
    // One start or stop of a session at a time, so that a stop never misses what is just being started.
    const exclusively = makeKeyedLock()

    const launch = Effect.fnUntraced(function*(request: Launch) {
      const known = sessions.get(request.sessionId)
      if (known !== undefined) return { pid: known.pid, startedAt: known.startedAt }
      const agent = agents.find(({ id }) => id === request.agent)
      if (agent === undefined) {
        return yield* new AgentUnavailable({
          message: `No agent "${request.agent}" is configured on this host.`,
          hint: `Add it to "agents" in the configuration file, or use one of: ${agents.map(({ id }) => id).join(", ") || "none"}.`
        })
      }
      const found = yield* Effect.promise(() => availability(agent, environment, excludedPathEntries))
      if (found._tag === "Missing") return yield* new AgentUnavailable({ message: found.reason, hint: found.hint })
      const cwd = yield* Effect.promise(() => insideFolder(folders.worktrees, request.directory))
      if (cwd === undefined) {
        return yield* new AgentUnavailable({
          message: "The working folder is no worktree of this host.",
          hint: "It may have been removed: make a new workspace."
        })
      }
      if ((yield* millisUntil(request.deadline)) <= 0) {
        return yield* new AgentUnavailable({ message: "It was too late to start the agent: its deadline has passed." })
      }
      const promptFile = join(folders.prompts, `${request.sessionId}.txt`)
      const delivery = deliver(agent, request.prompt, promptFile)
      const ring = new OutputRing(context.outputRingBytes)
      const job = yield* Effect.tryPromise({
        try: async () => {
          if (delivery.file !== undefined) await writeDurably(promptFile, delivery.file)
          return startJob(jobs, {
            kind: "agent",
            job: request.sessionId,
            program: found.program,
            args: delivery.args,
            cwd,
            environment: {
              ...childEnvironment(environment, excludedPathEntries, agent.env?.pass),
              ...agent.env?.set,
              ...request.environment
            },
            ...(delivery.input !== undefined && { input: delivery.input }),
            ...(delivery.file !== undefined && { promptFile }),
            onOutput: (stream, text) => ring.output(stream, text),
            transcript: openTranscript(join(folders.transcripts, `${request.sessionId}.log`), context.transcriptBytes)
          })
        },
        catch: (error) => error
      }).pipe(
        Effect.tapError(() => Effect.promise(() => rm(promptFile, { force: true }))),
        Effect.catch((error) => {
          const problem = spawnProblem(error)
          return problem === undefined ? Effect.die(error) : Effect.fail(
            new AgentUnavailable({
              message: `${agent.name} could not be started: ${problem}.`,
              hint: `See agents[].command of "${agent.id}" in the configuration file.`
            })
          )
        })
      )
      const startedAt = DateTime.makeUnsafe(job.startedAt)
      sessions.set(request.sessionId, { pid: job.pid, startedAt, ring, job })
      const end = (outcome: { readonly exitCode?: number; readonly signal?: string }) => {
        ring.exited(outcome)
        sessions.ended(request.sessionId)
        if (delivery.file !== undefined) void rm(promptFile, { force: true })
      }
      // A process that cannot be ended is still one whose session is over for whoever watches it.
      job.ended.then(end, () => end({ signal: "SIGKILL" }))
      return { pid: job.pid, startedAt }
    }, Effect.uninterruptible)

    const watch = (sessionId: AgentSessionId, afterSequence: number): Stream.Stream<AgentEvent> =>
      Stream.suspend(() => {
        const ring = sessions.get(sessionId)?.ring
        if (ring === undefined) return Stream.empty
        return Stream.paginate(afterSequence, (after) =>
          Effect.gen(function*() {
            if (!ring.ended) {
              yield* Effect.callback<void>((resume) => {
                const forget = ring.onMore(after, () => resume(Effect.void))
                return Effect.sync(forget)
              })
            }
            const events = ring.read(after)
            const last = events.at(-1)
            const next = last === undefined || last._tag === "Exited" ? Option.none<number>() : Option.some(last.sequence)
            return [events, next] as const
          }))
      })

    yield* Effect.addFinalizer(() =>
      Effect.promise(() => Promise.all(sessions.running().map((job) => job.stop().catch(() => {}))))
    )

    return {
      agents: () =>
        Effect.promise(() =>
          Promise.all(agents.map(async (agent) => {
            const found = await availability(agent, environment, excludedPathEntries)
            return {
              id: agent.id,
              name: agent.name,
              prompt: agent.prompt,
              ...(agent.timeoutSeconds !== undefined && { timeoutSeconds: agent.timeoutSeconds }),
              ...(found._tag === "Missing" && { unavailableReason: found.reason })
            }
          }))
        ),
      start: (request) => exclusively(request.sessionId, launch(request)),
      watch,
      stop: (sessionId) =>
        exclusively(sessionId, Effect.promise(() => sessions.get(sessionId)?.job?.stop() ?? Promise.resolve())),
      settle: () =>
        untorn(async () => {
          const records = await settleProcesses(jobs)
          // While nothing runs, nothing uses what an earlier life left in them.
          if (jobs.live.size === 0) {
            await emptyFolder(folders.prompts)
            await emptyFolder(folders.quarantine)
            await removeUnfinished(folders.processes)
            await removeUnfinished(folders.records)
          }
          return records
        }).pipe(
          Effect.map((records) =>
            Array.map(records.filter(({ kind }) => kind === "agent"), ({ job }) => job as AgentSessionId)
          )
        )
    }
  })
