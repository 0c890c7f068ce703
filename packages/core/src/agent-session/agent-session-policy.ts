import type { Lifecycle } from "../lifecycle.ts"
import type { AgentSessionStatus } from "./agent-session.ts"

export const agentSessionLifecycle: Lifecycle<AgentSessionStatus> = {
  starting: ["running", "failed", "cancelled", "lost"],
  running: ["awaiting_input", "completed", "failed", "cancelled", "lost"],
  awaiting_input: ["running", "completed", "failed", "cancelled", "lost"],
  completed: [],
  failed: [],
  cancelled: [],
  lost: ["running", "failed"]
}
