import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { inheritableDescriptors } from "./descriptors.ts"

/** How a process ended. */
export interface Outcome {
  readonly exitCode?: number
  readonly signal?: string
}

export interface Spawned {
  readonly child: ChildProcess
  readonly pid: number
  /** Resolves when the process itself has ended, whoever still holds its output open. */
  readonly exited: Promise<Outcome>
  /** Resolves when the process has ended and its output too. */
  readonly closed: Promise<void>
}

/** The three streams, and nothing readable behind any descriptor that would be inherited beside them. */
const withStreams = <A>(input: "pipe" | "ignore", use: (stdio: Array<"pipe" | "ignore" | number>) => A): A => {
  const stdio: Array<"pipe" | "ignore" | number> = [input, "pipe", "pipe"]
  const inherited = inheritableDescriptors()
  if (inherited.length === 0) return use(stdio)
  const nothing = openSync("/dev/null", "r")
  try {
    for (let descriptor = 3; descriptor <= Math.max(...inherited); descriptor++) {
      stdio.push(inherited.includes(descriptor) ? nothing : "ignore")
    }
    return use(stdio)
  } finally {
    closeSync(nothing)
  }
}

/**
 * Starts a program without a shell, as the leader of its own session and group, with nothing but its three standard
 * streams. Rejects with Node's error when it cannot be started.
 */
export const spawnProgram = (program: string, args: ReadonlyArray<string>, options: {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly input: "pipe" | "ignore"
}): Promise<Spawned> =>
  new Promise((resolve, reject) => {
    const child = withStreams(options.input, (stdio) =>
      spawn(program, [...args], {
        cwd: options.cwd,
        env: { ...options.environment },
        detached: true,
        shell: false,
        stdio
      }))
    child.on("error", reject)
    if (child.pid === undefined) return
    const exited = new Promise<Outcome>((ended) =>
      child.once("exit", (code, signal) =>
        ended({ ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) }))
    )
    const closed = new Promise<void>((ended) => child.once("close", () => ended()))
    // The pid is known before anything of the event loop runs, so that its record follows the start at once.
    resolve({ child, pid: child.pid, exited, closed })
  })
