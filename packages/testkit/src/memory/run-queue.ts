import { afterLostAttempt, hasEnded, type Lease, type MachineId, type Run } from "@coppice/core"
import { RunQueue } from "@coppice/core/ports"
import { Effect, Layer, Queue, Stream } from "effect"
import { MemoryDatabase, type RunRow, signal, step } from "./memory-database.ts"
import { busyWith, describe, isActive, obstacle } from "./run-record.ts"
import { patched, without } from "./table.ts"

const hostLost = {
  reason: "host_lost",
  message: "The host was lost while it worked on the run, and no attempt is left."
} as const

const patchable = ["workspaceId", "agentSessionId", "exitCode", "failure"] as const

export const runQueueMemory = Layer.effect(
  RunQueue,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase

    /** The run of a lease that holds: the fence is the newest and the time is not over. */
    const leased = ({ fence, organizationId, runId }: Lease, nowMillis: number): RunRow | undefined => {
      const row = database.runs.get(runId)
      const holds = row?.run.organizationId === organizationId && row.fence === fence &&
        row.leaseEndsAtMillis !== undefined && row.leaseEndsAtMillis > nowMillis
      return holds ? row : undefined
    }

    const settle = (which: (row: RunRow, nowMillis: number) => boolean) =>
      step(({ at, millis }) => {
        const settled = [...database.runs.values()].filter((row) => isActive(row.run) && which(row, millis)).map((row) => {
          const { run } = row
          const { maxAttempts } = database.automations.get(run.automationId)!.automation
          const status = afterLostAttempt(
            { attempt: run.attempt, cancelRequested: run.cancelRequestedAt !== undefined },
            maxAttempts
          )
          const next: Run = status === "queued"
            ? { ...without(run, "startedAt"), status, updatedAt: at }
            : { ...run, status, endedAt: at, updatedAt: at, ...(status === "failed" ? { failure: hostLost } : {}) }
          database.runs.set(run.id, { ...without(row, "leaseEndsAtMillis"), run: next })
          return run.id
        })
        if (settled.length > 0) signal(database)
        return settled.map((id) => describe(database, database.runs.get(id)!))
      })

    return RunQueue.of({
      claim: (machineId, { leaseMillis, maxConcurrentRuns }) =>
        step(({ at, millis }) => {
          const isOurs = (run: Run) => database.hosts.get(run.hostId)?.machineId === machineId
          const host = { online: true, held: false, active: busyWith(database, machineId), max: maxConcurrentRuns }
          const row = [...database.runs.values()]
            .filter(({ run }) => run.status === "queued" && isOurs(run) && obstacle(database, run, host) === "worker")
            .toSorted((left, right) => left.run.id < right.run.id ? -1 : 1)[0]
          if (row === undefined) return undefined
          const fence = row.fence + 1
          const run: Run = { ...row.run, status: "preparing", attempt: row.run.attempt + 1, startedAt: at, updatedAt: at }
          database.runs.set(run.id, { ...row, run, fence, leaseEndsAtMillis: millis + leaseMillis })
          return {
            lease: { organizationId: run.organizationId, runId: run.id, fence },
            run,
            automation: database.automations.get(run.automationId)!.automation,
            project: database.projects.get(run.projectId)!,
            payload: row.payload!.slice()
          }
        }),
      renew: (lease, leaseMillis) =>
        step(({ millis }) => {
          const row = leased(lease, millis)
          if (row === undefined) return "lost" as const
          database.runs.set(lease.runId, { ...row, leaseEndsAtMillis: millis + leaseMillis })
          return row.run.cancelRequestedAt === undefined ? "held" as const : "cancelling" as const
        }),
      update: (lease, from, to, patch, options) =>
        step(({ at, millis }) => {
          const row = leased(lease, millis)
          if (row?.run.status !== from) return undefined
          const moved: Run = { ...patched(row.run, patch, patchable), status: to, updatedAt: at }
          const leaves = to === "queued" || hasEnded(to)
          const run: Run = to === "queued"
            ? { ...without(moved, "startedAt"), attempt: moved.attempt - (options?.refundAttempt === true ? 1 : 0) }
            : hasEnded(to)
            ? { ...moved, endedAt: at }
            : moved
          const next = { ...(leaves ? without(row, "leaseEndsAtMillis") : row), run }
          database.runs.set(run.id, next)
          if (leaves) signal(database)
          return describe(database, next)
        }),
      reap: () => settle((row, nowMillis) => row.leaseEndsAtMillis !== undefined && row.leaseEndsAtMillis <= nowMillis),
      reclaim: (machineId: MachineId) => settle((row) => database.hosts.get(row.run.hostId)?.machineId === machineId),
      changes: Stream.callback<void>((changes) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const listener = () => void Queue.offerUnsafe(changes, undefined)
            database.listeners.add(listener)
            listener()
            return listener
          }),
          (listener) => Effect.sync(() => database.listeners.delete(listener))
        ), { bufferSize: 1, strategy: "sliding" })
    })
  })
)
