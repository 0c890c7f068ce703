import { randomUUID } from "node:crypto"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"

/** Writes a file that is there whole after a crash, or not at all: written aside, synced, renamed, its folder synced. */
export const writeDurably = async (path: string, content: string | Uint8Array): Promise<void> => {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const aside = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(aside, "wx", 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
