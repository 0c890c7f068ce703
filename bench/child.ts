// A server in a process of its own, which says where it listens in one line of JSON.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

export interface Child {
  readonly pid: number
  readonly url: string
  readonly stop: () => Promise<void>
}

const startMillis = 60_000

/** Starts a program and waits for the line that gives its address. */
export const startChild = async (
  file: string,
  env: Readonly<Record<string, string>>,
  addressIn: (line: string) => string | undefined
): Promise<Child> => {
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = once(child, "exit")
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${file} did not start in ${startMillis} ms`)), startMillis)
    exited.then(() => reject(new Error(`${file} ended before it was ready`)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const address = addressIn(line)
      if (address === undefined) return
      clearTimeout(late)
      resolve(address)
    })
  })
  return {
    pid: child.pid!,
    url,
    stop: async () => {
      child.kill("SIGTERM")
      await exited
    }
  }
}
