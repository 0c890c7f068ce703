import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

/** A life of the real server, which can be ended before it is ready. */
export interface ServerProcess {
  readonly process: ChildProcess
  readonly output: () => string
  /** Rejects when it ends before. */
  readonly ready: Promise<void>
  /** Resolves to the signal or the exit code that it ended by. */
  readonly ended: Promise<string | number>
}

export const launchServer = (env: NodeJS.ProcessEnv): ServerProcess => {
  const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  const ended = new Promise<string | number>((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code!)))
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
        if (/^Coppice is ready at /m.test(output)) resolve()
      })
    }
    child.once("error", reject)
    void ended.then((how) => reject(new Error(`The server ended by ${how} before it was ready:\n${output}`)))
  })
  ready.catch(() => {})
  return { process: child, output: () => output, ready, ended }
}
