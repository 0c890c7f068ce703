import { homedir } from "node:os"
import { resolve } from "node:path"

/** The folder that people mean by `~`. */
export const expandHome = (path: string, env: NodeJS.ProcessEnv): string =>
  path.replace(/^~(?=\/|$)/, () => env["HOME"] || homedir())

/** The data folder. It is all that a command has to know while a server runs. */
export const homeOf = (env: NodeJS.ProcessEnv): string => resolve(expandHome(env["COPPICE_HOME"] || ".coppice", env))
