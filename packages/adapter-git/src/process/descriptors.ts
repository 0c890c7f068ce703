import { readdirSync, readFileSync } from "node:fs"

const closedOnExec = 0o2000000

/**
 * Descriptors of this process that a child would inherit. Node's own are closed when a program starts; those that the
 * service itself was started with, by a shell or a supervisor, may not be. Told on Linux only.
 */
export const inheritableDescriptors = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc/self/fd").map(Number).filter((descriptor) => {
      if (descriptor <= 2) return false
      try {
        const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1]
        return flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0
      } catch {
        // It was the one that listed the folder.
        return false
      }
    })
  } catch {
    return []
  }
}
