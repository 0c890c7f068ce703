import { Cause, Deferred, Effect, Exit, type Queue } from "effect"
import { endAgent, moveAgentSession, startAgentSession } from "../agent-session/agent-session-usecases.ts"
import type { AgentSessionStatus } from "../agent-session/agent-session.ts"
import type { Failure } from "../failure.ts"
import type { HostConnection } from "../host-gateway.ts"
import { AgentSessionId, newId, type WorkspaceId } from "../id.ts"
import { move as legalMove } from "../lifecycle.ts"
import { now } from "../timestamp.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import { failed, followAgent, lost, type Outcome } from "./follow-agent.ts"
import { enduring, withPatientStores } from "./patient-stores.ts"
import { prepareWorkspace, promptOf } from "./prepare-run.ts"
import { recordStatus } from "./run-journal.ts"
import { holdLease, type LeaseTimes } from "./run-lease.ts"
import { afterLostAttempt, runLifecycle } from "./run-policy.ts"
import { type Claim, type RunPatch, RunQueue } from "./run-queue.ts"
import type { RunStatus } from "./run.ts"

/** What ends an attempt before its agent does: the run is to be cancelled, the lease is gone, the server stops. */
type Stop = "cancelling" | "lease_lost" | "interrupted"

/**
 * One attempt at a claimed run: prepares the workspace, starts the agent, follows it to its end and settles the run. It
 * holds the lease all the while, from the instant before the claim on; whatever ends it early, no process is left when
 * it returns. Only the work can be interrupted, and not what is then stored of it.
 */
export const attemptRun = Effect.fn("attemptRun")(function*(
  claim: Claim & { readonly claimedAtMillis: number },
  connection: HostConnection,
  times: LeaseTimes,
  poke: Queue.Dequeue<void>
) {
  const { automation, lease, run } = claim
  const { organizationId } = run
  const queue = yield* RunQueue
  const workspaces = yield* WorkspaceStore
  const sessionId = yield* newId(AgentSessionId)
  const leaseLost = yield* Deferred.make<Stop>()
  let status: RunStatus = "preparing"
  /** Where the last move went: one that was cut off may have been stored all the same. */
  let moving: RunStatus = status
  let workspaceId: WorkspaceId | undefined
  let launched = false

  /** Stores a move that the lifecycle has, or with the status that the run has already, only the patch. */
  const write = (to: RunStatus, patch: RunPatch, options?: { readonly refundAttempt?: boolean }) =>
    (to === status ? Effect.void : Effect.orDie(Effect.fromResult(legalMove(runLifecycle, status, to)))).pipe(
      Effect.andThen(queue.update(lease, status, to, patch, options))
    )

  /** Moves the run on. When the lease turns out to be gone, all work on it is given up at once. */
  const move = Effect.fnUntraced(function*(to: RunStatus, patch: RunPatch) {
    moving = to
    const moved = yield* write(to, patch)
    if (moved === undefined) {
      yield* Deferred.succeed(leaseLost, "lease_lost")
      return yield* Effect.never
    }
    const changed = to !== status
    status = to
    if (changed) yield* recordStatus(moved)
  })

  const attach = (id: WorkspaceId) => {
    workspaceId = id
    return move("preparing", { workspaceId: id })
  }

  const work = Effect.gen(function*() {
    yield* recordStatus(run)
    const workspace = yield* prepareWorkspace(claim, connection, attach)
    const prompt = yield* promptOf(claim)
    launched = true
    return yield* startAgentSession(connection, workspace, {
      sessionId,
      agent: automation.agent,
      title: `${automation.name}, run ${run.id}`,
      prompt,
      environment: { COPPICE_RUN_ID: run.id }
    }).pipe(
      Effect.tap(() => move("running", { agentSessionId: sessionId })),
      Effect.flatMap((session) => followAgent(claim, connection, session)),
      Effect.ensuring(endAgent(connection, sessionId))
    )
  }).pipe(
    Effect.catchTags({
      WorktreeFailed: ({ failure }) => Effect.succeed<Outcome>({ status: "failed", failure }),
      AgentUnavailable: (error) => failed("agent_unavailable", error.message),
      InvalidRequest: (error) => failed("workspace", error.message),
      Conflict: (error) => failed("workspace", error.message),
      HostOffline: (error) => lost(error.message),
      LinkLost: (error) => lost(error.message)
    })
  )

  const endSession = (to: AgentSessionStatus, patch: { exitCode?: number; failure?: Failure }) =>
    launched
      ? Effect.flatMap(now, (endedAt) => moveAgentSession({ organizationId, id: sessionId }, to, { ...patch, endedAt }))
      : Effect.void

  /** The last word on a run. There is nobody left to interrupt when it comes too late. */
  const settle = Effect.fnUntraced(function*(to: RunStatus, patch: RunPatch, options?: { refundAttempt?: boolean }) {
    let moved = yield* write(to, patch, options)
    if (moved === undefined && moving !== status) {
      status = moving
      moved = yield* write(to, patch, options)
    }
    if (moved !== undefined) return yield* recordStatus(moved)
    yield* Effect.logWarning(`Run ${run.id}: the lease was lost before its outcome could be stored`)
  })

  /** Puts the run back in the queue while it may be attempted again, unless it is to be cancelled. */
  const giveBack = Effect.fnUntraced(function*(failure: Failure, maxAttempts: number, refundAttempt: boolean) {
    yield* endSession("failed", { failure })
    const cancelRequested = (yield* queue.renew(lease, times.leaseMillis)) === "cancelling"
    const next = afterLostAttempt({ attempt: run.attempt, cancelRequested }, maxAttempts)
    yield* settle(next, next === "failed" ? { failure } : {}, { refundAttempt: refundAttempt && next === "queued" })
  })

  /** Ends the records of what is gone, however long the store is away. The run is another's by then. */
  const endRecords = enduring(
    Effect.gen(function*() {
      const failure = { reason: "host_lost", message: "The run's lease was lost." } as const
      yield* endSession("failed", { failure })
      if (workspaceId === undefined) return
      yield* workspaces.transition(organizationId, workspaceId, ["creating"], "failed", { failure }, yield* now)
    }),
    Infinity
  ).pipe(Effect.interruptible)

  const store = Effect.fnUntraced(function*(end: Outcome | Stop) {
    if (end === "cancelling") {
      yield* endSession("cancelled", {})
      return yield* settle("cancelled", {})
    }
    if (end === "lease_lost") {
      yield* Effect.logWarning(`Run ${run.id}: the lease was lost; its agent was ended`)
      return yield* endRecords
    }
    if (end === "interrupted") return yield* giveBack({ reason: "interrupted", message: "The server was stopped." }, Infinity, true)
    const { status: ended, ...details } = end
    if (ended === "lost") return yield* giveBack(details.failure ?? hostLost, automation.maxAttempts, false)
    yield* endSession(ended === "succeeded" ? "completed" : "failed", details)
    yield* settle(ended, details)
  })

  const stopped = Effect.raceFirst(holdLease(lease, times, poke, claim.claimedAtMillis), Deferred.await(leaseLost))
  const exit = yield* Effect.exit(Effect.interruptible(Effect.raceFirst(work, stopped)))
  const interrupted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  if (Exit.isFailure(exit) && !interrupted) yield* Effect.logError(`Run ${run.id}: the attempt failed`, exit.cause)
  const end = Exit.isSuccess(exit) ? exit.value : interrupted ? "interrupted" : yield* lost("The attempt failed; the server's log says why.")
  yield* store(end).pipe(
    Effect.catchCause((cause) =>
      Effect.logError(`Run ${run.id}: its outcome could not be stored; its lease will run out`, cause).pipe(
        Effect.andThen(interrupted ? Effect.void : endRecords)
      )
    )
  )
}, (attempt, _claim, _connection, times) => Effect.uninterruptible(withPatientStores(times.leaseMillis)(attempt)))

const hostLost = { reason: "host_lost", message: "The host was lost." } as const
