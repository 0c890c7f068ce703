import { delimiter, dirname, sep } from "node:path"

/**
 * The entries that npm put on the PATH of its script: the `node_modules/.bin` of this clone and of each folder around
 * it. They are no choice of the operator's, and agents are not to find programs there.
 */
export const npmPathEntries = (env: NodeJS.ProcessEnv, folder: string): ReadonlyArray<string> => {
  if (env["npm_lifecycle_event"] === undefined) return []
  const own = new Set<string>()
  for (let around = folder; !own.has(around); around = dirname(around)) own.add(around)
  return (env["PATH"] ?? "").split(delimiter).filter((entry) =>
    entry.endsWith(`${sep}node-gyp-bin`) ||
    entry.endsWith(`${sep}node_modules${sep}.bin`) && own.has(dirname(dirname(entry)))
  )
}
