import { Schema } from "effect"
import { HostId, MachineId, OrganizationId } from "../id.ts"
import { Name } from "../text.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

export const HostStatus = Schema.Literals(["online", "offline"])
export type HostStatus = typeof HostStatus.Type

/** A machine that holds worktrees and runs agents, as one organization sees it. */
export const Host = Schema.Struct({
  id: HostId,
  organizationId: OrganizationId,
  machineId: MachineId,
  name: Name,
  platform: Schema.String.annotate({ description: "Operating system and processor, as linux-x64" }),
  agents: Schema.Array(Schema.String).annotate({ description: "Ids of the coding agents usable there" }),
  maxConcurrentRuns: Schema.Int,
  running: Schema.Int.annotate({ description: "Runs that it is busy with, of any organization" }),
  status: HostStatus,
  lastSeenAt: Timestamp,
  offlineReason: Schema.optionalKey(Schema.String),
  ...recordTimes
})
export type Host = typeof Host.Type

/** What a machine tells of itself. */
export interface MachineFacts {
  readonly machineId: MachineId
  readonly name: string
  readonly platform: string
  readonly agents: ReadonlyArray<string>
  readonly maxConcurrentRuns: number
  /** Why it prepares no run at the moment, when it does not: too little free disk, say. */
  readonly holdReason?: string
}
