import { mkdirSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import type { LocalHostOptions } from "./local-host-options.ts"
import { resolveOptions } from "./local-host-options.ts"
import { installationOf } from "./process/marker.ts"
import { processRecords } from "./process/process-record.ts"

/** What the parts of a host share: its options, its folders, its name among processes. */
export const hostContext = (given: LocalHostOptions) => {
  const options = resolveOptions(given)
  mkdirSync(options.home, { recursive: true, mode: 0o700 })
  const home = realpathSync(options.home)
  const folder = (name: string): string => {
    const path = join(home, name)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  }
  const userHome = options.environment["HOME"] ?? homedir()
  const installation = installationOf(options.machineId, home)
  const records = processRecords(folder("processes"))
  return {
    ...options,
    home,
    folders: {
      worktrees: folder("worktrees"),
      repositories: folder("repositories"),
      prompts: folder("prompts"),
      transcripts: folder("transcripts"),
      quarantine: folder("git"),
      records: folder("worktree-records"),
      processes: folder("processes")
    },
    roots: options.repositoryRoots.map((root) => resolve(root.replace(/^~(?=\/|$)/, () => userHome))),
    installation,
    jobs: { installation, records, live: new Set<string>(), graceMillis: options.terminateGraceMillis }
  }
}
export type HostContext = ReturnType<typeof hostContext>
