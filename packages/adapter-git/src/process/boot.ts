import { readFileSync } from "node:fs"
import { isLinux } from "./process-table.ts"

/** Names the machine's present boot. */
export const bootId = (): string => {
  if (isLinux) {
    try {
      return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    } catch {
      // Hidden in some containers.
    }
  }
  // Elsewhere start times, which carry the date, tell two boots apart.
  return "unknown"
}
