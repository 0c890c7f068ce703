import { realpath, stat } from "node:fs/promises"
import { isAbsolute, relative, sep } from "node:path"

/** Whether a path is a folder or below it, by their names alone; both must have their links resolved. */
export const isUnder = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** A folder's real path when that lies strictly inside another, links resolved. */
export const insideFolder = async (outer: string, path: string): Promise<string | undefined> => {
  if (!isAbsolute(path)) return undefined
  try {
    const real = await realpath(path)
    const within = real !== outer && isUnder(outer, real)
    return within && (await stat(real)).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
