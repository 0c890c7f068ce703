/** Makes the files of a new database in the directory that its argument names, syncs them to the disk, and ends. */
import { PGlite } from "@electric-sql/pglite"
import * as fs from "node:fs"
import * as path from "node:path"

const target = process.argv[2]!

// Whoever asked for the database has died.
process.stdin.resume().on("close", () => process.exit(1))

const database = await PGlite.create({ dataDir: target })
await database.close()

/** Deepest first, so that a directory is synced after what it names. */
const syncTree = (file: string): void => {
  if (fs.lstatSync(file).isDirectory()) for (const name of fs.readdirSync(file)) syncTree(path.join(file, name))
  const descriptor = fs.openSync(file, "r")
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
}

syncTree(target)
process.exit(0)
