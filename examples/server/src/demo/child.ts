import { type ChildProcess, execFile, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

// The sources and what is compiled from them lie side by side alike. Either runs on the packages as they are built: Node
// reads TypeScript, and no JSX.
const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
const program = (name: string): ReadonlyArray<string> => [fileURLToPath(new URL(`../${name}.${extension}`, import.meta.url))]

export interface Server {
  readonly process: ChildProcess
  readonly url: string
  /** What it has printed: standard output, then standard error. */
  readonly output: () => string
  /** Sends a signal, and answers the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts the real service, and answers once it says that it is ready. */
export const startServer = (env: NodeJS.ProcessEnv): Promise<Server> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, program("main"), { env, stdio: ["ignore", "pipe", "pipe"] })
    let stdout = ""
    let stderr = ""
    const output = () => stdout + stderr
    const exited = new Promise<number | null>((ended) => child.once("close", ended))
    void exited.then((code) => reject(new Error(`The server ended with code ${code} before it was ready:\n${output()}`)))
    child.once("error", reject)
    child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text)
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      const url = /^Coppice is ready at (\S+)$/m.exec(stdout)?.[1]
      if (url === undefined) return
      resolve({
        process: child,
        url,
        output,
        stop: (signal = "SIGTERM") => {
          child.kill(signal)
          return exited
        }
      })
    })
  })

export interface Answer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Types a command, and answers what came of it. */
export const coppice = (env: NodeJS.ProcessEnv, args: ReadonlyArray<string>): Promise<Answer> =>
  new Promise((resolve) =>
    execFile(process.execPath, [...program("cli"), ...args], { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, stdout, stderr })))
