import { resolve } from "node:path"
import { expandHome } from "../home/home-path.ts"

/** A path as the operator meant it: npm runs its scripts in the clone, wherever it was called from. */
export const callerPath = (path: string): string => {
  const { INIT_CWD, npm_lifecycle_event } = process.env
  const folder = npm_lifecycle_event !== undefined && INIT_CWD !== undefined ? INIT_CWD : process.cwd()
  return resolve(folder, expandHome(path, process.env))
}
