import { rm } from "node:fs/promises"
import { bootId } from "./boot.ts"
import { installationMarker, jobMarker } from "./marker.ts"
import type { JobSettings } from "./job.ts"
import type { ProcessRecord } from "./process-record.ts"
import { processRow } from "./process-table.ts"
import { terminate } from "./terminate.ts"

const rootsOf = async (record: ProcessRecord) => {
  const { pid, startTime } = record
  if (pid === undefined || startTime === undefined || record.boot !== bootId()) return []
  const row = await processRow(pid)
  // A pid that was given out again belongs to somebody else. One that is gone may still have a group.
  return row === undefined || row.startTime === startTime ? [{ pid, startTime }] : []
}

/**
 * Ends what an earlier life left running: all that its records name, and all that carries the installation's marker.
 * Answers its records, which are gone afterwards. What this life has started is spared, though none should be there yet.
 */
export const settleProcesses = async (settings: JobSettings): Promise<ReadonlyArray<ProcessRecord>> => {
  const { records, installation, live, graceMillis } = settings
  const found = (await records.all()).filter(({ job }) => !live.has(job))
  await Promise.all(found.map(async (record) => {
    await terminate({ roots: await rootsOf(record), marker: jobMarker(installation, record.job) }, graceMillis)
  }))
  if (live.size === 0) await terminate({ roots: [], marker: installationMarker(installation) }, graceMillis)
  for (const record of found) {
    if (record.promptFile !== undefined) await rm(record.promptFile, { force: true })
    await records.remove(record.job)
  }
  return found
}
