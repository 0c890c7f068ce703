import { wait } from "../real-time.ts"
import type { ProcessRow } from "./process-table.ts"
import { processesWith, processRow, processTable } from "./process-table.ts"

/** What is to be ended: these processes, their groups and descendants, and whatever carries the marker. */
export interface Quarry {
  readonly roots: ReadonlyArray<{ readonly pid: number; readonly startTime: string }>
  /** The beginning of an environment variable, as `NAME=value`. */
  readonly marker?: string
}

/** What outlives KILL for so long is stuck in the kernel; waiting longer would not help. */
const stuckAfterMillis = 10_000

const ancestors = (rows: ReadonlyMap<number, ProcessRow>): ReadonlySet<number> => {
  const found = new Set([0, 1])
  for (let pid = process.pid; pid > 1 && !found.has(pid); pid = rows.get(pid)?.parent ?? 0) found.add(pid)
  return found
}

/** The living processes of a quarry. `known` remembers all that were ever seen, so that one that leaves its parent stays known. */
const living = async (quarry: Quarry, known: Map<number, string>): Promise<ReadonlyArray<ProcessRow>> => {
  const marked = quarry.marker === undefined ? new Set<number>() : await processesWith(quarry.marker)
  const rows = new Map((await processTable()).map((row) => [row.pid, row]))
  const spared = ancestors(rows)
  // A group keeps its number from being given out while it has members; a process of that number that started at
  // another time says that the group was empty in between, and that this is somebody else's.
  const groups = new Set(
    quarry.roots.filter(({ pid, startTime }) => {
      const leader = rows.get(pid)
      return pid > 1 && (leader === undefined || leader.startTime === startTime)
    }).map(({ pid }) => pid)
  )
  const found = new Set<number>()
  for (const row of rows.values()) {
    // A root leads a session of its own, so that all of its job-control groups are found by it.
    const inGroup = groups.has(row.session ?? row.group)
    if (known.get(row.pid) === row.startTime || inGroup || marked.has(row.pid)) found.add(row.pid)
  }
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const row of rows.values()) if (found.has(row.parent) && !spared.has(row.parent)) found.add(row.pid)
  }
  const alive = [...found].filter((pid) => !spared.has(pid)).map((pid) => rows.get(pid)!)
  for (const row of alive) known.set(row.pid, row.startTime)
  return alive.filter((row) => !row.zombie)
}

const signal = async (row: ProcessRow, name: "SIGTERM" | "SIGCONT" | "SIGKILL"): Promise<void> => {
  // Between the look and the signal the process may have ended and its pid been given to another.
  if ((await processRow(row.pid))?.startTime !== row.startTime) return
  try {
    process.kill(row.pid, name)
  } catch {
    // Ended meanwhile.
  }
}

/**
 * Ends a quarry: TERM to each of its processes, KILL to all that are left after the grace, again and again until none
 * is found, so that one forked while others were ended is ended too.
 */
export const terminate = async (quarry: Quarry, graceMillis: number): Promise<void> => {
  const known = new Map(quarry.roots.map(({ pid, startTime }) => [pid, startTime]))
  const asked = new Set<string>()
  const began = performance.now()
  for (let pause = 10;; pause = Math.min(pause * 1.5, 100)) {
    const alive = await living(quarry, known)
    if (alive.length === 0) return
    const spent = performance.now() - began
    if (spent > graceMillis + stuckAfterMillis) {
      throw new Error(`Processes ${alive.map(({ pid }) => pid).join(", ")} outlive KILL.`)
    }
    for (const row of alive) {
      const name = `${row.pid}/${row.startTime}`
      if (spent >= graceMillis) await signal(row, "SIGKILL")
      else if (!asked.has(name)) {
        asked.add(name)
        await signal(row, "SIGTERM")
        // A stopped process acts on TERM only once it goes on.
        await signal(row, "SIGCONT")
      }
    }
    await wait(spent >= graceMillis ? 10 : Math.min(pause, Math.max(1, graceMillis - spent)))
  }
}
