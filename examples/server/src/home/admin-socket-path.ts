import { createHash } from "node:crypto"
import { lstatSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The address of a Unix socket holds 104 bytes on macOS, 108 on Linux, its end included. */
const maxPathBytes = 100

/** Where the admin socket of a data folder goes: into it, or where its path is too long for a socket, into a private folder. */
export const adminSocketPath = (home: string): string => {
  const usual = join(home, "admin.sock")
  if (Buffer.byteLength(usual) <= maxPathBytes) return usual
  const uid = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `coppice-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  // Everybody may write to the temporary folder: what lies there under this name may be a trap.
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a folder of this user's alone; remove it, or choose a COPPICE_HOME with a shorter path`)
  }
  return join(folder, `${createHash("sha256").update(home).digest("hex").slice(0, 16)}.sock`)
}
