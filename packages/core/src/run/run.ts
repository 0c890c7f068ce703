import { Schema } from "effect"
import { Failure } from "../failure.ts"
import { AgentSessionId, AutomationId, HostId, OrganizationId, ProjectId, RunId, WorkspaceId } from "../id.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

export const RunStatus = Schema.Literals([
  "queued",
  "preparing",
  "running",
  "waiting",
  "succeeded",
  "failed",
  "cancelled"
])
export type RunStatus = typeof RunStatus.Type

export const Trigger = Schema.Literals(["webhook", "manual"])
export type Trigger = typeof Trigger.Type

/** What a queued run waits for. */
export const WaitingFor = Schema.Literals([
  "worker",
  "host_offline",
  "host_held",
  "host_capacity",
  "automation_capacity",
  "workspace"
])
export type WaitingFor = typeof WaitingFor.Type

/** One firing of an automation. Its payload is kept apart from it, as the bytes that were received. */
export const Run = Schema.Struct({
  id: RunId,
  organizationId: OrganizationId,
  automationId: AutomationId,
  projectId: ProjectId,
  hostId: HostId,
  status: RunStatus,
  trigger: Trigger,
  attempt: Schema.Int.annotate({ description: "How many times it was taken up; 0 while it never was" }),
  retryOf: Schema.optionalKey(RunId),
  workspaceId: Schema.optionalKey(WorkspaceId),
  agentSessionId: Schema.optionalKey(AgentSessionId),
  queuePosition: Schema.optionalKey(Schema.Int).annotate({ description: "1 for the next of its host; while queued" }),
  waitingFor: Schema.optionalKey(WaitingFor).annotate({ description: "Why it is not running yet; while queued" }),
  exitCode: Schema.optionalKey(Schema.Int),
  failure: Schema.optionalKey(Failure),
  cancelRequestedAt: Schema.optionalKey(Timestamp),
  startedAt: Schema.optionalKey(Timestamp).annotate({ description: "When its present attempt was taken up" }),
  endedAt: Schema.optionalKey(Timestamp),
  ...recordTimes
})
export type Run = typeof Run.Type

/** A run as it is when it enters the queue. */
export type NewRun = Pick<Run, "id" | "organizationId" | "automationId" | "trigger" | "retryOf" | "createdAt">

/** One thing that happened to a run, in the order of `sequence` (1, 2, 3, …). */
export const RunEvent = Schema.Struct({
  sequence: Schema.Int,
  at: Timestamp,
  type: Schema.Literals(["status", "progress", "setup_output", "output", "output_dropped"]),
  attempt: Schema.Int,
  status: Schema.optionalKey(RunStatus),
  stream: Schema.optionalKey(Schema.Literals(["stdout", "stderr"])),
  text: Schema.optionalKey(Schema.String),
  bytes: Schema.optionalKey(Schema.Int)
})
export type RunEvent = typeof RunEvent.Type

/** An event before the store gives it its place. */
export type NewRunEvent = Omit<RunEvent, "sequence">
