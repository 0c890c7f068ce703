import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A process that a server of the test has started, by its environment. */
export interface Sighting {
  readonly pid: number
  readonly startTime: string
  /** The key of its record: an agent session's id, or one made from a workspace's. */
  readonly job: string
  readonly run: string | undefined
  readonly session: string | undefined
}

const startTimeOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19]
  } catch {
    return undefined
  }
}

const isAlive = ({ pid, startTime }: Sighting): boolean => startTimeOf(pid) === startTime

/** Every process that lives now and carries the temporary folder of the test's servers, which only they give on. */
const look = (temporary: string): ReadonlyArray<Sighting> => {
  const mark = `TMPDIR=${temporary}`
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const pid = Number(name)
    let environment: string
    try {
      environment = readFileSync(`/proc/${name}/environ`, "latin1")
    } catch {
      return []
    }
    if (!environment.includes(mark)) return []
    const variable = (key: string) =>
      environment.split("\0").find((entry) => entry.startsWith(`${key}=`))?.slice(key.length + 1)
    const job = variable("COPPICE_PROCESS")?.split("/")[1]
    const startTime = startTimeOf(pid)
    if (job === undefined || startTime === undefined) return []
    return [{ pid, startTime, job, run: variable("COPPICE_RUN_ID"), session: variable("COPPICE_AGENT_SESSION_ID") }]
  })
}

/** Looks at all processes again and again, and writes down what must never be so. */
export const watchProcesses = (temporary: string, homes: () => ReadonlyArray<string>, everyMillis = 30) => {
  const violations = new Set<string>()
  const lastSeen = new Map<string, number>()

  const hasRecord = (job: string) => homes().some((home) => existsSync(join(home, "processes", `${job}.json`)))

  const scan = (): ReadonlyArray<Sighting> => {
    const found = look(temporary)
    const first = new Map<string, Sighting>()
    for (const seen of found) {
      // Git is asked and answers; what it leaves behind is found by the marker, and it has no record.
      if (!seen.job.startsWith("git-") && !hasRecord(seen.job) && isAlive(seen)) {
        violations.add(`Process ${seen.pid} of ${seen.job} runs without a record.`)
      }
      if (seen.run === undefined || seen.session === undefined) continue
      lastSeen.set(seen.session, Date.now())
      const other = first.get(seen.run) ?? seen
      first.set(seen.run, other)
      // Both are there now, because the one that was seen first still is after the other was.
      if (other.session !== seen.session && isAlive(seen) && isAlive(other)) {
        violations.add(`Run ${seen.run} has two process trees: ${other.session} (${other.pid}) and ${seen.session} (${seen.pid}).`)
      }
    }
    return found
  }

  const timer = setInterval(scan, everyMillis)
  return {
    scan,
    violations: (): ReadonlyArray<string> => [...violations],
    /** When a process of that session was last there, on this process's clock. */
    lastSeen: (session: string) => lastSeen.get(session),
    stop: () => clearInterval(timer),
    /** Ends what is left, for the cleanup of a test that failed. */
    endAll: () => {
      for (let round = 0; round < 100; round++) {
        const left = look(temporary)
        if (left.length === 0) return
        for (const seen of left) {
          try {
            if (isAlive(seen)) process.kill(seen.pid, "SIGKILL")
          } catch {
            // It ended on its own.
          }
        }
      }
    }
  }
}
