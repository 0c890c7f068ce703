// A server in a process of its own, which says where it listens in one line of JSON.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

export interface Child {
  readonly pid: number
  readonly url: string
  readonly stop: () => Promise<void>
}

/** What a program has used and uses; the memory means something only with BENCH_WEIGH in its environment. */
interface Weight {
  readonly processorSeconds: number
  readonly heldBytes: number
  readonly residentBytes: number
}

export interface TimedChild extends Child {
  readonly weigh: () => Promise<Weight>
}

const startMillis = 60_000

/** Where a server of this folder says in its first line that it listens. */
export const addressIn = (line: string): string | undefined => (JSON.parse(line) as { url?: string }).url

/** Starts a program and waits for the line that gives its address. */
export const startChild = async (
  file: string,
  env: Readonly<Record<string, string>>,
  addressIn: (line: string) => string | undefined
): Promise<Child> => {
  const { lines: _, ...child } = await launch([process.execPath, file], env, addressIn)
  return child
}

/** What keeps a program on one core, where the system can do that. */
const onOneCore = spawnSync("taskset", ["--version"]).status === 0 ? ["taskset", "--cpu-list", "0"] : []

/** Starts one of the servers of this folder, on one core. */
export const startTimedChild = async (name: string, env: Readonly<Record<string, string>>): Promise<TimedChild> => {
  const file = (name: string) => new URL(name, import.meta.url).pathname
  const command = [...onOneCore, process.execPath, "--import", file("probe.ts"), file(name)]
  const { lines, ...child } = await launch(command, env, addressIn)
  return {
    ...child,
    weigh: async () => {
      const answer = once(lines, "line")
      process.kill(child.pid, "SIGUSR2")
      const [line] = await answer as [string]
      return JSON.parse(line) as Weight
    }
  }
}

const launch = async (
  [command, ...args]: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  addressIn: (line: string) => string | undefined
) => {
  const child = spawn(command!, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = once(child, "exit")
  const lines = createInterface({ input: child.stdout })
  const name = args.at(-1)
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${name} did not start in ${startMillis} ms`)), startMillis)
    exited.then(() => reject(new Error(`${name} ended before it was ready`)))
    lines.on("line", (line) => {
      const address = addressIn(line)
      if (address === undefined) return
      clearTimeout(late)
      resolve(address)
    })
  })
  return {
    pid: child.pid!,
    url,
    lines,
    stop: async () => {
      child.kill("SIGTERM")
      await exited
    }
  }
}
