import { chmod, lstat, readdir, rm } from "node:fs/promises"
import { join } from "node:path"

const makeWritable = async (folder: string): Promise<void> => {
  await chmod(folder, 0o700).catch(() => {})
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name))
  }
}

/** Removes a folder and what is in it; links are removed, not followed. Read-only folders, as caches of modules are, too. */
export const removeFolder = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isDirectory() !== true) return
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    await makeWritable(path)
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Removes what a crash left of files that were being written durably. */
export const removeUnfinished = async (path: string): Promise<void> => {
  for (const name of await readdir(path)) if (name.endsWith(".tmp")) await rm(join(path, name), { force: true })
}

/** Removes what is in a folder. */
export const emptyFolder = async (path: string): Promise<void> => {
  for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true })
}
