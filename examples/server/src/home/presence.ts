import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Who has the data folder, and how a server there is spoken to. A file of a killed process may still lie there. */
export interface Presence {
  readonly pid: number
  readonly since: string
  /** Where the server listens for the operator's commands; absent for a command that works without a server. */
  readonly socket?: string
  readonly url?: string
}

export const presenceFile = (home: string): string => join(home, "presence.json")

export const readPresence = (home: string): Presence | undefined => {
  try {
    return JSON.parse(readFileSync(presenceFile(home), "utf8")) as Presence
  } catch {
    return undefined
  }
}

/** In one step, so that nobody reads half of it. */
export const writePresence = (home: string, presence: Presence): void => {
  const draft = `${presenceFile(home)}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(presence)}\n`, { mode: 0o600 })
  renameSync(draft, presenceFile(home))
}
