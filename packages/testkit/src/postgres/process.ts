// Programs that PostgreSQL consists of, and the user that they run as.
import { execFileSync, spawn } from "node:child_process"
import { readFileSync, readdirSync } from "node:fs"

export interface User {
  readonly uid: number
  readonly gid: number
}

const idOf = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }))

/** PostgreSQL refuses to run as root, so root runs it as nobody. Undefined: as whoever runs this. */
export const serverUser = (): User | undefined =>
  process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined

/** One locale and one time zone everywhere, and nothing of the caller's environment (PGDATA, PGPORT, ...). */
export const serverEnvironment = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

/** Runs a program to its end and resolves to its output, or rejects with it. */
export const run = (command: string, args: ReadonlyArray<string>, user: User | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...user, cwd: "/", env: serverEnvironment, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => { output += text })
    }
    child.once("error", reject)
    child.once("close", (code) => code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}: ${output.trim()}`)))
  })

const parents = (): ReadonlyArray<readonly [pid: number, parent: number]> => {
  if (process.platform !== "linux") {
    return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n").map((line) => {
      const [pid, parent] = line.trim().split(/\s+/)
      return [Number(pid), Number(parent)]
    })
  }
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((name) => {
    try {
      // The second field is the program's name in parentheses, and may hold anything.
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      return [Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])]
    } catch {
      return [Number(name), 0]
    }
  })
}

/** Kills a process and its children at the same moment, as a machine that loses its power would. */
export const killWithChildren = (pid: number): void => {
  // Stopped, it starts no more of them.
  process.kill(pid, "SIGSTOP")
  const children = parents().filter(([, parent]) => parent === pid).map(([child]) => child)
  for (const victim of [pid, ...children]) {
    try {
      process.kill(victim, "SIGKILL")
    } catch {
      // It ended on its own.
    }
  }
}
