import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { StartFailure } from "../start-failure.ts"
import { presenceFile, readPresence, writePresence } from "./presence.ts"

const sqliteBusy = 5

/** Node 22 and 24 warn that their SQLite is experimental. The lock uses so little of it that the warning helps nobody. */
const openSqlite = (file: string): DatabaseSync => {
  const emitWarning = process.emitWarning
  process.emitWarning = () => {}
  try {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
    return new DatabaseSync(file)
  } finally {
    process.emitWarning = emitWarning
  }
}

const acquire = (home: string): DatabaseSync | undefined => {
  const lock = openSqlite(join(home, "lock"))
  try {
    // The transaction is nothing but its lock. A journal on the disk would only look like something to recover.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return lock
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined
    throw error
  }
}

const taken = (home: string) => {
  const owner = readPresence(home)
  const who = owner === undefined ? "another process" : `process ${owner.pid}, since ${owner.since}`
  return new StartFailure({
    reason: "home-taken",
    message: `The data folder ${home} is in use by ${who}.`,
    hint: owner === undefined
      ? "Stop that process, or choose another data folder with COPPICE_HOME."
      : `Stop that process (kill ${owner.pid}), or choose another data folder with COPPICE_HOME.`
  })
}

/**
 * Takes the data folder for this process, until the scope closes or the process dies, whichever way it dies: the lock is
 * the kernel's own record lock, taken through SQLite because Node has no call for it, so that there is no stale one to
 * be told from a live one. `presence.json` only says who it is.
 */
export const lockHome = Effect.fn("lockHome")(function*(home: string) {
  yield* Effect.acquireRelease(
    Effect.gen(function*() {
      const lock = yield* Effect.try({
        try: () => acquire(home),
        catch: (cause) => new StartFailure({ message: `The data folder ${home} cannot be locked: ${(cause as Error).message}.` })
      })
      if (lock === undefined) return yield* taken(home)
      writePresence(home, { pid: process.pid, since: new Date().toISOString() })
      return lock
    }),
    (lock) =>
      Effect.sync(() => {
        rmSync(presenceFile(home), { force: true })
        lock.close()
      })
  )
})
