import { activeStatuses, afterLostAttempt, hasEnded, type RunStatus, type WaitingFor, waitingFor } from "@coppice/core"

/** What of an automation matters to the queue. */
export interface ModelAutomation {
  readonly reuses: boolean
  readonly maxConcurrentRuns?: number
  readonly maxAttempts: number
}

export interface ModelRun {
  readonly automation: number
  status: RunStatus
  attempt: number
  fence: number
  leaseEndsAtMillis?: number
  cancelRequested: boolean
}

/** A lease as it was given: which run, and the fence of then. */
export interface ModelLease {
  readonly run: number
  readonly fence: number
}

/** The queue of one machine in as few words as possible: a list of runs, oldest first, and core's policies. */
export const makeQueueModel = (automations: ReadonlyArray<ModelAutomation>, maxConcurrentRuns: number) => {
  const runs: Array<ModelRun> = []
  const active = (which: (run: ModelRun) => boolean = () => true) =>
    runs.filter((run) => activeStatuses.includes(run.status) && which(run)).length

  const waits = (run: ModelRun): WaitingFor => {
    const { maxConcurrentRuns: cap, reuses } = automations[run.automation]!
    return waitingFor({
      hostOnline: true,
      hostHeld: false,
      hostActiveRuns: active(),
      hostMaxConcurrentRuns: maxConcurrentRuns,
      automationActiveRuns: active((other) => other.automation === run.automation),
      automationMaxConcurrentRuns: cap,
      reusesWorkspace: reuses
    })
  }

  const leased = ({ fence, run: index }: ModelLease, nowMillis: number): ModelRun | undefined => {
    const run = runs[index]!
    const ends = run.leaseEndsAtMillis
    return run.fence === fence && ends !== undefined && ends > nowMillis ? run : undefined
  }

  const settle = (which: (run: ModelRun) => boolean): ReadonlyArray<number> =>
    runs.flatMap((run, index) => {
      if (run.leaseEndsAtMillis === undefined || !which(run)) return []
      delete run.leaseEndsAtMillis
      run.status = afterLostAttempt(run, automations[run.automation]!.maxAttempts)
      return [index]
    })

  return {
    runs,
    waits,
    place: (index: number): number => runs.slice(0, index).filter(({ status }) => status === "queued").length + 1,
    enqueue: (automation: number) => {
      runs.push({ automation, status: "queued", attempt: 0, fence: 0, cancelRequested: false })
    },
    claim: (nowMillis: number, leaseMillis: number): ModelLease | undefined => {
      const index = runs.findIndex((run) => run.status === "queued" && waits(run) === "worker")
      const run = runs[index]
      if (run === undefined) return undefined
      run.status = "preparing"
      run.attempt++
      run.fence++
      run.leaseEndsAtMillis = nowMillis + leaseMillis
      return { run: index, fence: run.fence }
    },
    renew: (lease: ModelLease, nowMillis: number, leaseMillis: number): "held" | "cancelling" | "lost" => {
      const run = leased(lease, nowMillis)
      if (run === undefined) return "lost"
      run.leaseEndsAtMillis = nowMillis + leaseMillis
      return run.cancelRequested ? "cancelling" : "held"
    },
    update: (lease: ModelLease, from: RunStatus, to: RunStatus, refund: boolean, nowMillis: number): boolean => {
      const run = leased(lease, nowMillis)
      if (run?.status !== from) return false
      run.status = to
      if (to === "queued" || hasEnded(to)) delete run.leaseEndsAtMillis
      if (to === "queued" && refund) run.attempt--
      return true
    },
    cancel: (index: number) => {
      const run = runs[index]!
      if (run.status === "queued") run.status = "cancelled"
      else if (!hasEnded(run.status)) run.cancelRequested = true
    },
    reap: (nowMillis: number) => settle((run) => run.leaseEndsAtMillis! <= nowMillis),
    reclaim: () => settle(() => true)
  }
}
