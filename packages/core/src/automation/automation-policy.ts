import type { Lifecycle } from "../lifecycle.ts"
import type { AutomationStatus } from "./automation.ts"

export const automationLifecycle: Lifecycle<AutomationStatus> = {
  active: ["paused"],
  paused: ["active"]
}
