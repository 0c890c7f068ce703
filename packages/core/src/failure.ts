import { Schema } from "effect"

/** Why something did not come about, from a closed list, so that programs can tell the cases apart. */
export const FailureReason = Schema.Literals([
  "setup",
  "workspace",
  "agent_unavailable",
  "agent_exit",
  "timeout",
  "host_lost",
  "interrupted"
])
export type FailureReason = typeof FailureReason.Type

export const Failure = Schema.Struct({ reason: FailureReason, message: Schema.String })
export type Failure = typeof Failure.Type
