import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import { hostname } from "node:os"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { EmbeddedUnavailable } from "./unavailable.ts"

export interface DirectoryLockOptions {
  readonly directory: string
  /** How long to wait for another process to let go (0). */
  readonly waitMillis: number
}

const retryMillis = 50
const busy = 5

/**
 * Takes the directory for this process, until the scope closes or the process dies.
 *
 * Two processes that write one PGlite directory destroy it, and PGlite does not look. The lock is the kernel's own
 * record lock, so a killed owner leaves nothing behind that somebody would have to recognise as stale. Node has no call
 * for it; its SQLite takes one on an empty file. SQLite also knows of the locks inside one process, which the kernel does not.
 */
export const lockDirectory = Effect.fnUntraced(function*(
  options: DirectoryLockOptions
): Effect.fn.Return<void, EmbeddedUnavailable, Scope.Scope> {
  const { directory, waitMillis } = options
  const failed = (cause: unknown) =>
    new EmbeddedUnavailable({
      reason: "failed",
      directory,
      message: `The directory ${directory} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: "Check that it exists, that it lies on a local disk with room left, and that this user may write there."
    })
  const open = yield* Effect.try({ try: loadSqlite, catch: failed })
  yield* Effect.try({ try: () => fs.mkdirSync(directory, { recursive: true, mode: 0o700 }), catch: failed })
  const attempt = Effect.try({ try: () => acquire(open, directory), catch: failed })
  const deadline = performance.now() + waitMillis
  yield* Effect.acquireRelease(
    Effect.gen(function*() {
      while (true) {
        const held = yield* attempt
        if (held !== undefined) return held
        if (performance.now() >= deadline) return yield* taken(directory)
        yield* Effect.sleep(retryMillis)
      }
    }),
    (held) => Effect.sync(() => release(held, directory)),
    { interruptible: true }
  )
})

type OpenDatabase = (file: string) => DatabaseSync

/** Node 22 and 24 warn that their SQLite is experimental. The lock uses so little of it that the warning helps nobody. */
const loadSqlite = (): OpenDatabase => {
  const emitWarning = process.emitWarning
  process.emitWarning = () => {}
  try {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
    return (file) => new DatabaseSync(file)
  } finally {
    process.emitWarning = emitWarning
  }
}

const acquire = (open: OpenDatabase, directory: string): DatabaseSync | undefined => {
  const lock = open(path.join(directory, "lock"))
  try {
    // The transaction is nothing but its lock. A journal on the disk would only look like something to recover.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === busy) return undefined
    throw error
  }
  const owner = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  fs.writeFileSync(ownerFile(directory), JSON.stringify(owner))
  return lock
}

const release = (lock: DatabaseSync, directory: string): void => {
  fs.rmSync(ownerFile(directory), { force: true })
  lock.close()
}

const ownerFile = (directory: string): string => path.join(directory, "owner.json")

/** The file only tells who holds the lock; whether it is held, the kernel says. */
const taken = (directory: string): EmbeddedUnavailable => {
  let who = "another process"
  try {
    const { host, pid, since } = JSON.parse(fs.readFileSync(ownerFile(directory), "utf8")) as Record<string, unknown>
    who = `process ${pid}${host === hostname() ? "" : ` on ${host}`}, since ${since}`
    if (pid === process.pid && host === hostname()) who += " (this very process, which opened it twice)"
  } catch {
    // The owner has taken the lock and not yet said who it is.
  }
  return new EmbeddedUnavailable({
    reason: "locked",
    directory,
    message: `The embedded database in ${directory} is in use by ${who}.`,
    hint: "Stop that process, or use another directory (COPPICE_HOME). Several processes need a PostgreSQL server (DATABASE_URL)."
  })
}
