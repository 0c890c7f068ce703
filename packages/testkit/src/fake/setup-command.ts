import { Effect } from "effect"
import type { Changes } from "./git.ts"

/** What a set-up command did: what it wrote to its output and to files, and how it ended. */
export interface SetupResult {
  readonly output?: string
  readonly changes?: Changes
  readonly exitCode: number
}

export type SetupScript = (command: ReadonlyArray<string>) => Effect.Effect<SetupResult>

/** The programs that a fake machine has: `print TEXT`, `write FILE TEXT`, `exit CODE` and `hang`. */
export const fakePrograms: SetupScript = ([program, ...args]) => {
  switch (program) {
    case "print":
      return Effect.succeed({ output: `${args.join(" ")}\n`, exitCode: 0 })
    case "write":
      return Effect.succeed({ changes: { [args[0]!]: args[1] ?? "" }, exitCode: 0 })
    case "exit":
      return Effect.succeed({ exitCode: Number(args[0] ?? 0) })
    case "hang":
      return Effect.never
    default:
      return Effect.succeed({ output: `${program}: not found\n`, exitCode: 127 })
  }
}
