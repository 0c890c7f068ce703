import { activeStatuses, type MachineId, type Run, waitingFor } from "@coppice/core"
import type { Database, RunRow } from "./memory-database.ts"

export const isActive = (run: Run): boolean => activeStatuses.includes(run.status)

/** How many runs a machine is busy with, for any organization. */
export const busyWith = (database: Database, machineId: MachineId): number =>
  [...database.runs.values()].filter(({ run }) =>
    isActive(run) && database.hosts.get(run.hostId)?.machineId === machineId
  ).length

/** What stands between a queued run and a worker, with the caps and the state of its host as the caller sees them. */
export const obstacle = (
  database: Database,
  run: Run,
  host: { readonly online: boolean; readonly held: boolean; readonly active: number; readonly max: number }
) => {
  const { automation } = database.automations.get(run.automationId)!
  const siblings = [...database.runs.values()].filter((row) => row.run.automationId === automation.id && isActive(row.run))
  return waitingFor({
    hostOnline: host.online,
    hostHeld: host.held,
    hostActiveRuns: host.active,
    hostMaxConcurrentRuns: host.max,
    automationActiveRuns: siblings.length,
    automationMaxConcurrentRuns: automation.maxConcurrentRuns,
    reusesWorkspace: automation.workspaceMode === "reuse"
  })
}

/** A run as people see it: with its place in the queue while it is queued. */
export const describe = (database: Database, { run }: RunRow): Run => {
  if (run.status !== "queued") return run
  const host = database.hosts.get(run.hostId)!
  const ahead = [...database.runs.values()].filter((other) =>
    other.run.hostId === run.hostId && other.run.status === "queued" && other.run.id < run.id
  )
  return {
    ...run,
    queuePosition: ahead.length + 1,
    waitingFor: obstacle(database, run, {
      online: host.status === "online",
      held: host.holdReason !== undefined,
      active: busyWith(database, host.machineId),
      max: host.maxConcurrentRuns
    })
  }
}
