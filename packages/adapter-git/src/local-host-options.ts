import type { MachineId } from "@coppice/core"
import type { AgentConfig } from "./agent/agent-config.ts"
import type { Environment } from "./process/environment.ts"

/** What a host on this machine is made of. */
export interface LocalHostOptions {
  /** Whose machine this is: connecting to any other fails. */
  readonly machineId: MachineId
  /** The data folder; all that the host writes outside repositories is under it. */
  readonly home: string
  /** Where repositories may lie. `~/` is the home folder of who runs it. */
  readonly repositoryRoots: ReadonlyArray<string>
  readonly agents: ReadonlyArray<AgentConfig>
  /** Entries that are not the operator's own, as the clone's `node_modules/.bin`: children do not get them on their PATH. */
  readonly excludedPathEntries?: ReadonlyArray<string>
  /** The service's own environment; `process.env` when left out. */
  readonly environment?: Environment
  /** How long after TERM comes KILL (3000). */
  readonly terminateGraceMillis?: number
  /** What is kept of a session's output in memory (4 MiB). */
  readonly outputRingBytes?: number
  /** What is kept of a session's output on disk (256 MiB). */
  readonly transcriptBytes?: number
  /** How many ended sessions' output stays in memory (16). */
  readonly endedSessions?: number
  /** How long one Git command may take that is bound by no deadline (120,000). */
  readonly gitTimeoutMillis?: number
  /** How long a writer waits for the others of its repository (60,000). */
  readonly lockWaitMillis?: number
}

/** The options with their defaults, and the folders under the data folder. */
export const resolveOptions = (options: LocalHostOptions) => ({
  ...options,
  excludedPathEntries: options.excludedPathEntries ?? [],
  environment: options.environment ?? process.env,
  terminateGraceMillis: options.terminateGraceMillis ?? 3000,
  outputRingBytes: options.outputRingBytes ?? 4 * 1024 * 1024,
  transcriptBytes: options.transcriptBytes ?? 256 * 1024 * 1024,
  endedSessions: options.endedSessions ?? 16,
  gitTimeoutMillis: options.gitTimeoutMillis ?? 120_000,
  lockWaitMillis: options.lockWaitMillis ?? 60_000
})
