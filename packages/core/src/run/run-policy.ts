import type { Lifecycle } from "../lifecycle.ts"
import { isFinal } from "../lifecycle.ts"
import type { RunStatus, WaitingFor } from "./run.ts"

export const runLifecycle: Lifecycle<RunStatus> = {
  queued: ["preparing", "failed", "cancelled"],
  preparing: ["running", "queued", "failed", "cancelled"],
  running: ["waiting", "succeeded", "failed", "cancelled", "queued"],
  waiting: ["running", "queued", "failed", "cancelled"],
  succeeded: [],
  failed: [],
  cancelled: []
}

export const hasEnded = (status: RunStatus): boolean => isFinal(runLifecycle, status)

/** The statuses in which a run holds a lease and a place on its host. */
export const activeStatuses: ReadonlyArray<RunStatus> = ["preparing", "running", "waiting"]

/** The facts that decide whether a queued run may be taken up. */
export interface Congestion {
  readonly hostOnline: boolean
  readonly hostHeld: boolean
  readonly hostActiveRuns: number
  readonly hostMaxConcurrentRuns: number
  readonly automationActiveRuns: number
  readonly automationMaxConcurrentRuns: number | undefined
  readonly reusesWorkspace: boolean
}

/** Why a queued run is not running: the outermost obstacle first. `worker` when nothing stands in its way. */
export const waitingFor = (facts: Congestion): WaitingFor => {
  if (!facts.hostOnline) return "host_offline"
  if (facts.hostHeld) return "host_held"
  if (facts.hostActiveRuns >= facts.hostMaxConcurrentRuns) return "host_capacity"
  if (facts.reusesWorkspace && facts.automationActiveRuns > 0) return "workspace"
  const cap = facts.automationMaxConcurrentRuns
  return cap !== undefined && facts.automationActiveRuns >= cap ? "automation_capacity" : "worker"
}

/** Where a lost attempt leaves its run: queued again while attempts remain, else failed. A cancelled one is not tried again. */
export const afterLostAttempt = (
  run: { readonly attempt: number; readonly cancelRequested: boolean },
  maxAttempts: number
): "queued" | "failed" | "cancelled" =>
  run.cancelRequested ? "cancelled" : run.attempt < maxAttempts ? "queued" : "failed"
