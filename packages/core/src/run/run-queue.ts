import type { Effect, Stream } from "effect"
import { Context } from "effect"
import type { Automation } from "../automation/automation.ts"
import type { Failure } from "../failure.ts"
import type { AgentSessionId, MachineId, OrganizationId, RunId, WorkspaceId } from "../id.ts"
import type { Project } from "../project/project.ts"
import type { Run, RunStatus } from "./run.ts"

/** The right to work on a run, until it expires. Each claim raises the fence, and what carries an older one is refused. */
export interface Lease {
  readonly organizationId: OrganizationId
  readonly runId: RunId
  readonly fence: number
}

/** A run that was taken up, with all that is needed to do it. */
export interface Claim {
  readonly lease: Lease
  readonly run: Run
  readonly automation: Automation
  readonly project: Project
  readonly payload: Uint8Array
}

/** What changes together with a move. */
export interface RunPatch {
  readonly workspaceId?: WorkspaceId
  readonly agentSessionId?: AgentSessionId
  readonly exitCode?: number
  readonly failure?: Failure
}

/** The queue of runs, for the workers. Expiry is judged by the store's clock alone. */
export class RunQueue extends Context.Service<RunQueue, {
  /**
   * Takes up the oldest queued run of the machine that its caps allow, moves it to `preparing`, counts an attempt and
   * leases it. The caps: `maxConcurrentRuns` of the machine over all organizations, the automation's own, and one at a
   * time for an automation that reuses its workspace. `undefined` when there is none. Two callers never get the same run.
   */
  claim(machineId: MachineId, options: {
    readonly leaseMillis: number
    readonly maxConcurrentRuns: number
  }): Effect.Effect<Claim | undefined>
  /** Holds the lease for that long from now on. `lost` when it expired or another claim raised the fence; `cancelling` when the run is to be cancelled. */
  renew(lease: Lease, leaseMillis: number): Effect.Effect<"held" | "cancelling" | "lost">
  /**
   * Moves a leased run, or with the status that it has, only patches it. A final status ends the lease. With `queued`
   * the run is back in its old place, and the attempt does not count when `refundAttempt`. `undefined`, and nothing
   * changed, when the lease is lost or the run is not in `from`.
   */
  update(
    lease: Lease,
    from: RunStatus,
    to: RunStatus,
    patch: RunPatch,
    options?: { readonly refundAttempt?: boolean }
  ): Effect.Effect<Run | undefined>
  /**
   * Settles runs whose lease has expired: back to `queued` while the automation's attempts remain, else `failed` with
   * `host_lost`; `cancelled` where that was asked. Answers them as they are then.
   */
  reap(): Effect.Effect<ReadonlyArray<Run>>
  /** As `reap`, for every leased run of a machine, expired or not: its only process has just started and holds none. */
  reclaim(machineId: MachineId): Effect.Effect<ReadonlyArray<Run>>
  /** Emits whenever something may have become claimable, or is to be cancelled, anywhere; also once when it starts. */
  readonly changes: Stream.Stream<void>
}>()("@coppice/core/run/RunQueue") {}
