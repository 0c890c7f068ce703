import { Deferred, Effect, Option, type Queue, Schedule, Stream } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { AgentEvent } from "../agent-session/agent-launcher.ts"
import { moveAgentSession, startAgentSession } from "../agent-session/agent-session-usecases.ts"
import type { AgentSession, AgentSessionStatus } from "../agent-session/agent-session.ts"
import { AutomationStore } from "../automation/automation-store.ts"
import { Conflict } from "../error.ts"
import type { Failure } from "../failure.ts"
import type { HostConnection } from "../host-gateway.ts"
import { now } from "../timestamp.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import { makeWorkspace, type WorkspaceListener } from "../workspace/workspace-usecases.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { RunEventStore } from "./run-event-store.ts"
import { joinOutput, record, recordStatus } from "./run-journal.ts"
import { enduring, holdLease, type LeaseTimes } from "./run-lease.ts"
import { afterLostAttempt } from "./run-policy.ts"
import { canFence, runPrompt } from "./run-prompt.ts"
import { type Claim, type RunPatch, RunQueue } from "./run-queue.ts"
import type { RunStatus } from "./run.ts"

/** How an attempt ended, by what was observed. */
interface Outcome {
  readonly status: "succeeded" | "failed" | "lost"
  readonly exitCode?: number
  readonly failure?: Failure
}

/** A name for the workspace of one attempt: the automation's, and the end of the run's id, which no other shares. */
const workspaceName = ({ automation, run }: Claim): string =>
  `${automation.name.slice(0, 80)} ${run.id.slice(-12)}${run.attempt > 1 ? `-${run.attempt}` : ""}`

/**
 * One attempt at a claimed run: prepares the workspace, starts the agent, follows it to its end and settles the run. It
 * holds the lease all the while; whatever ends it early, no process is left when it returns.
 */
export const attemptRun = Effect.fn("attemptRun")(function*(
  claim: Claim,
  connection: HostConnection,
  times: LeaseTimes,
  poke: Queue.Dequeue<void>
) {
  const { automation, lease, run } = claim
  const queue = yield* RunQueue
  const leaseLost = yield* Deferred.make<"lost">()
  let status: RunStatus = "preparing"
  let session: AgentSession | undefined

  /** Moves the run on. When the lease turns out to be gone, all work on it is given up at once. */
  const move = Effect.fnUntraced(function*(to: RunStatus, patch: RunPatch, options?: { refundAttempt?: boolean }) {
    const moved = yield* enduring(queue.update(lease, status, to, patch, options), times.leaseMillis)
    if (moved === undefined) {
      yield* Deferred.succeed(leaseLost, "lost")
      return yield* Effect.never
    }
    const changed = to !== status
    status = to
    if (changed) yield* enduring(recordStatus(moved), times.leaseMillis)
    return moved
  })

  /** The last word on a run. There is nobody left to interrupt when it comes too late. */
  const settle = (to: RunStatus, patch: RunPatch, options?: { refundAttempt?: boolean }) =>
    enduring(queue.update(lease, status, to, patch, options), times.leaseMillis).pipe(
      Effect.flatMap((moved) =>
        moved === undefined
          ? Effect.logWarning(`Run ${run.id}: the lease was lost before its outcome could be stored`)
          : recordStatus(moved)
      )
    )

  const endSession = (to: AgentSessionStatus, patch: { exitCode?: number; failure?: Failure }) =>
    session === undefined
      ? Effect.void
      : Effect.flatMap(now, (endedAt) =>
        Effect.asVoid(enduring(moveAgentSession(session!, to, { ...patch, endedAt }), times.leaseMillis)))

  const work = Effect.gen(function*() {
    yield* recordStatus(run)
    const workspace = yield* prepareWorkspace(claim, connection, (workspaceId) => move("preparing", { workspaceId }))
    const prompt = yield* promptOf(claim)
    return yield* Effect.acquireUseRelease(
      startAgentSession(connection, workspace, {
        agent: automation.agent,
        title: `${automation.name}, run ${run.id}`,
        prompt,
        environment: { COPPICE_RUN_ID: run.id }
      }).pipe(Effect.tap((started) => Effect.sync(() => session = started))),
      (started) =>
        Effect.gen(function*() {
          yield* move("running", { agentSessionId: started.id })
          return yield* followAgent(claim, connection, started, times)
        }),
      (started) => Effect.orDie(connection.agentLauncher.stop(started.id))
    )
  }).pipe(
    Effect.catchTags({
      WorktreeFailed: (error) => Effect.succeed<Outcome>({ status: "failed", failure: error.failure }),
      AgentUnavailable: (error) => failed("agent_unavailable", error.message),
      InvalidRequest: (error) => failed("workspace", error.message),
      Conflict: (error) => failed("workspace", error.message),
      HostOffline: (error) => lost(error.message),
      LinkLost: (error) => lost(error.message)
    })
  )

  const stopped = Effect.raceFirst(holdLease(lease, times, poke), Deferred.await(leaseLost))
  const outcome = yield* Effect.raceFirst(work, stopped).pipe(
    // The server is stopping: the run goes back to its place in the queue, and this attempt does not count.
    Effect.onInterrupt(() =>
      endSession("failed", { failure: { reason: "interrupted", message: "The server was stopped." } }).pipe(
        Effect.andThen(settle("queued", {}, { refundAttempt: true }))
      )
    )
  )
  if (outcome === "cancelling") {
    yield* endSession("cancelled", {})
    return yield* settle("cancelled", {})
  }
  if (outcome === "lost") {
    yield* Effect.logWarning(`Run ${run.id}: the lease was lost; its agent was ended`)
    return yield* endSession("failed", { failure: { reason: "host_lost", message: "The run's lease was lost." } })
  }
  const { failure, status: ended, ...patch } = outcome
  if (ended === "lost") {
    const next = afterLostAttempt({ attempt: run.attempt, cancelRequested: false }, automation.maxAttempts)
    yield* endSession("failed", failure === undefined ? {} : { failure })
    return yield* settle(next, next === "failed" && failure !== undefined ? { failure } : {})
  }
  const details = failure === undefined ? patch : { ...patch, failure }
  yield* endSession(ended === "succeeded" ? "completed" : "failed", details)
  yield* settle(ended, details)
})

const failed = (reason: Failure["reason"], message: string): Effect.Effect<Outcome> =>
  Effect.succeed({ status: "failed", failure: { reason, message } })

const lost = (message: string): Effect.Effect<Outcome> =>
  Effect.succeed({ status: "lost", failure: { reason: "host_lost", message } })

/** The workspace of an attempt: a new one, or the one that the automation's runs share, made by the first of them. */
const prepareWorkspace = Effect.fn("prepareWorkspace")(function*<R>(
  claim: Claim,
  connection: HostConnection,
  attach: (workspaceId: Workspace["id"]) => Effect.Effect<unknown, never, R>
) {
  const { automation, project, run } = claim
  if (automation.workspaceMode === "reuse" && automation.workspaceId !== undefined) {
    const shared = yield* (yield* WorkspaceStore).get(automation.organizationId, automation.workspaceId)
    if (shared?.status === "ready" && shared.path !== undefined) {
      yield* attach(shared.id)
      return { ...shared, path: shared.path }
    }
  }
  const listener: WorkspaceListener<R | RunEventStore> = {
    onRecord: (workspace) => Effect.asVoid(attach(workspace.id)),
    onEvent: (event) =>
      record(run, [
        event._tag === "Progress" ? { type: "progress", text: event.message } : { type: "setup_output", text: event.text }
      ])
  }
  const workspace = yield* makeWorkspace(project, connection, { name: workspaceName(claim) }, listener)
  if (workspace.path === undefined) return yield* new Conflict({ message: "A ready workspace must have a path." })
  if (automation.workspaceMode === "reuse") {
    const automations = yield* AutomationStore
    yield* automations.update(automation.organizationId, automation.id, { workspaceId: workspace.id }, yield* now)
  }
  return { ...workspace, path: workspace.path }
})

const promptOf = Effect.fnUntraced(function*({ automation, payload, run }: Claim) {
  const random = yield* SecureRandom
  let delimiter: string
  do {
    delimiter = `-----${(yield* random.uuidV4()).replaceAll("-", "")}-----`
  } while (!canFence(delimiter, payload))
  return runPrompt({ prompt: automation.prompt, trigger: run.trigger, runId: run.id, payload, delimiter })
})

/** Follows an agent to its end, writing its output down as it comes. A lost link is taken up again where it broke. */
const followAgent = Effect.fn("followAgent")(function*(
  { automation, run }: Claim,
  connection: HostConnection,
  session: AgentSession,
  times: LeaseTimes
) {
  let sequence = 0
  const follow = Effect.suspend(() =>
    connection.agentLauncher.watch(session.id, sequence).pipe(
      Stream.groupedWithin(256, "150 millis"),
      Stream.mapEffect((events) => {
        sequence = events.at(-1)?.sequence ?? sequence
        return Effect.as(enduring(record(run, joinOutput(events)), times.leaseMillis), events.find(isExit))
      }),
      Stream.filter((event) => event !== undefined),
      Stream.runHead
    )
  ).pipe(Effect.retry(Schedule.spaced("1 second")))
  const ended = yield* Effect.timeoutOption(follow, automation.timeoutSeconds * 1000)
  if (Option.isNone(ended)) {
    const message = `The agent was ended after ${automation.timeoutSeconds} seconds.`
    return { status: "failed", failure: { reason: "timeout", message } } as Outcome
  }
  return outcomeOf(Option.getOrUndefined(ended.value))
})

const isExit = (event: AgentEvent): event is AgentEvent & { _tag: "Exited" } => event._tag === "Exited"

/** What a process's end says: exit code 0 is success, and nothing else is. */
const outcomeOf = (exit: (AgentEvent & { _tag: "Exited" }) | undefined): Outcome => {
  if (exit === undefined) return { status: "lost", failure: { reason: "host_lost", message: "The agent's process is unknown." } }
  if (exit.exitCode === 0) return { status: "succeeded", exitCode: 0 }
  const how = exit.exitCode === undefined ? `was ended by ${exit.signal ?? "a signal"}` : `exited with code ${exit.exitCode}`
  return {
    status: "failed",
    ...(exit.exitCode === undefined ? {} : { exitCode: exit.exitCode }),
    failure: { reason: "agent_exit", message: `The agent ${how}.` }
  }
}
