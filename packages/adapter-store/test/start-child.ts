import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Command } from "./embedded-child.ts"

const script = fileURLToPath(new URL("./embedded-child.ts", import.meta.url))

export interface Child {
  readonly process: ChildProcess
  readonly lines: Array<string>
  readonly said: (line: RegExp) => Promise<string>
  readonly ended: Promise<unknown>
  readonly kill: () => Promise<void>
}

/** Starts `embedded-child.ts`. It ends with this process, whose end it sees on its standard input. */
export const startChild = (command: Command, directory: string): Child => {
  const child = spawn(process.execPath, [script, command, directory], { stdio: ["pipe", "pipe", "inherit"] })
  const lines: Array<string> = []
  const reader = createInterface({ input: child.stdout })
  reader.on("line", (line) => lines.push(line))
  const ended = once(child, "close")
  const said = async (wanted: RegExp): Promise<string> => {
    while (true) {
      const line = lines.find((said) => wanted.test(said))
      if (line !== undefined) return line
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The child ended, having said ${lines.join(", ")}`)
      await Promise.race([once(reader, "line"), ended])
    }
  }
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL")
    await ended
  }
  return { process: child, lines, said, ended, kill }
}
