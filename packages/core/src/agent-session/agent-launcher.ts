import type { Effect, Stream } from "effect"
import { Context, Schema } from "effect"
import type { ErrorCode } from "../error-code.ts"
import type { HostCallError } from "../host/host-call.ts"
import type { AgentSessionId, WorkspaceId } from "../id.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Agent } from "./agent.ts"

/** The agent could not be started: it is not configured on the host, or its program is not there. Nothing runs. */
export class AgentUnavailable extends Schema.TaggedError<AgentUnavailable>()("AgentUnavailable", {
  message: Schema.String,
  hint: Schema.optionalKey(Schema.String)
}) {
  readonly code = "UNAVAILABLE" satisfies ErrorCode
}

/** What an agent is started with. The session's id is the key: the same launch again answers the same process. */
export interface Launch {
  readonly sessionId: AgentSessionId
  readonly workspaceId: WorkspaceId
  readonly agent: string
  /** The worktree, which becomes the working folder. */
  readonly directory: string
  /** Its prompt, whole, byte for byte. */
  readonly prompt: Uint8Array
  /** The service's own variables, as COPPICE_RUN_ID. */
  readonly environment: Readonly<Record<string, string>>
  /** After this instant it is not started any more. */
  readonly deadline: Timestamp
}

/** What an agent's process does, in order. The last one is `Exited`. */
export type AgentEvent =
  | {
    readonly _tag: "Output"
    readonly sequence: number
    readonly stream: "stdout" | "stderr"
    readonly text: string
  }
  /** Output that was produced faster than it could be kept, so that the ring lost it; the transcript file has it. */
  | { readonly _tag: "Dropped"; readonly sequence: number; readonly bytes: number }
  | { readonly _tag: "Exited"; readonly sequence: number; readonly exitCode?: number; readonly signal?: string }

/** The coding agents of a host, and their processes. */
export class AgentLauncher extends Context.Service<AgentLauncher, {
  /** What is configured there, with the reason where an agent cannot be used. */
  agents(): Effect.Effect<ReadonlyArray<Agent>, HostCallError>
  /** Starts an agent in its own process group. Once this answers, the process is on record and will be found again. */
  start(launch: Launch): Effect.Effect<{ readonly pid: number; readonly startedAt: Timestamp }, AgentUnavailable | HostCallError>
  /** The session's events after that sequence (0: all that the ring still has), as they come, to its exit. Ends at once for an unknown session. */
  watch(sessionId: AgentSessionId, afterSequence: number): Stream.Stream<AgentEvent, HostCallError>
  /** Ends every process of the session, TERM and then KILL, and answers when none is left. Nothing to do is fine. */
  stop(sessionId: AgentSessionId): Effect.Effect<void, HostCallError>
  /** Ends whatever an earlier life of this host left running, and answers whose it was. Run before anything is started. */
  settle(): Effect.Effect<ReadonlyArray<AgentSessionId>, HostCallError>
}>()("@coppice/core/agent-session/AgentLauncher") {}
