import { Schema } from "effect"
import { Failure } from "../failure.ts"
import { AgentSessionId, OrganizationId, WorkspaceId } from "../id.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

export const AgentSessionStatus = Schema.Literals([
  "starting",
  "running",
  "awaiting_input",
  "completed",
  "failed",
  "cancelled",
  "lost"
])
export type AgentSessionStatus = typeof AgentSessionStatus.Type

/** One conversation of a coding agent in a workspace, from its start to its end. */
export const AgentSession = Schema.Struct({
  id: AgentSessionId,
  organizationId: OrganizationId,
  workspaceId: WorkspaceId,
  agent: Schema.String,
  title: Schema.String,
  status: AgentSessionStatus,
  exitCode: Schema.optionalKey(Schema.Int),
  failure: Schema.optionalKey(Failure),
  startedAt: Schema.optionalKey(Timestamp),
  endedAt: Schema.optionalKey(Timestamp),
  ...recordTimes
})
export type AgentSession = typeof AgentSession.Type

/** What changes together with a move. */
export interface AgentSessionPatch {
  readonly exitCode?: number
  readonly failure?: Failure
  readonly startedAt?: Timestamp
  readonly endedAt?: Timestamp
}
