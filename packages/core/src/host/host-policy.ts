import type { Lifecycle } from "../lifecycle.ts"
import type { HostStatus } from "./host.ts"

export const hostLifecycle: Lifecycle<HostStatus> = {
  online: ["offline"],
  offline: ["online"]
}
