import { access, constants, stat } from "node:fs/promises"
import { delimiter, isAbsolute, join } from "node:path"

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/** The absolute path of a program, looked up on a PATH unless it is one already. */
export const findProgram = async (name: string, path: string): Promise<string | undefined> => {
  if (isAbsolute(name)) return await isProgram(name) ? name : undefined
  if (name === "" || name.includes("/")) return undefined
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, name)
    if (await isProgram(candidate)) return candidate
  }
  return undefined
}
