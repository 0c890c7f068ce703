import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** A process that exists now. Pid and start time together name it: a pid alone is given out again. */
export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** The session that it belongs to, where the system tells. */
  readonly session?: number
  readonly startTime: string
  /** Ended, and only waiting for its parent to notice. */
  readonly zombie: boolean
}

export const isLinux = process.platform === "linux"

const linuxRow = (pid: number): ProcessRow | undefined => {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1")
  } catch {
    return undefined
  }
  // The second field is the program's name in parentheses, which may itself contain parentheses and spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: fields[19] ?? "",
    zombie: fields[0] === "Z" || fields[0] === "X"
  }
}

const ps = (args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) =>
    execFile("/bin/ps", [...args], { env: { LC_ALL: "C" }, maxBuffer: 64 * 1024 * 1024, timeout: 5000 }, (_, stdout) =>
      resolve(stdout))
  )

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/

const psRows = async (selection: ReadonlyArray<string>): Promise<ReadonlyArray<ProcessRow>> =>
  (await ps([...selection, "-o", "pid=,ppid=,pgid=,stat=,lstart="])).split("\n").flatMap((line) => {
    const found = psLine.exec(line)
    return found === null ? [] : [{
      pid: Number(found[1]),
      parent: Number(found[2]),
      group: Number(found[3]),
      zombie: found[4]!.startsWith("Z"),
      startTime: found[5]!
    }]
  })

const pidsOfProc = (): ReadonlyArray<number> =>
  readdirSync("/proc").flatMap((name) => /^\d+$/.test(name) ? [Number(name)] : [])

/** Every process of the machine. */
export const processTable = async (): Promise<ReadonlyArray<ProcessRow>> =>
  isLinux ? pidsOfProc().flatMap((pid) => linuxRow(pid) ?? []) : psRows(["-A"])

/** One process, if it is there. */
export const processRow = async (pid: number): Promise<ProcessRow | undefined> =>
  isLinux ? linuxRow(pid) : (await psRows(["-p", String(pid)]))[0]

/** The processes whose environment, as it was when their program started, has a variable that begins so. */
export const processesWith = async (variable: string): Promise<ReadonlySet<number>> => {
  if (!isLinux) {
    const lines = (await ps(["-A", "-E", "-ww", "-o", "pid=,command="])).split("\n")
    return new Set(lines.filter((line) => line.includes(` ${variable}`)).map((line) => Number.parseInt(line, 10)))
  }
  const wanted = Buffer.from(`\0${variable}`)
  return new Set(pidsOfProc().filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`)
      return environment.includes(wanted) || environment.subarray(0, wanted.length - 1).equals(wanted.subarray(1))
    } catch {
      // Gone meanwhile, or another user's.
      return false
    }
  }))
}
