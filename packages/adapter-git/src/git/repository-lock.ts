import { Data, Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { makeKeyedLock } from "../keyed-lock.ts"
import { wait } from "../real-time.ts"

/** Another writer of the repository did not finish in time. */
export class RepositoryBusy extends Data.TaggedError("RepositoryBusy")<{ readonly message: string }> {}

/** In this process all hosts share it: the lock between processes is one per process. */
const inProcess = makeKeyedLock()

const busy = 5

const tryLock = (path: string): DatabaseSync | undefined => {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec("BEGIN EXCLUSIVE")
    return database
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === busy) return undefined
    throw error
  }
}

const acquire = (path: string, waitMillis: number): Effect.Effect<DatabaseSync, RepositoryBusy> =>
  Effect.gen(function*() {
    const until = performance.now() + waitMillis
    for (let pause = 10;; pause = Math.min(pause * 2, 200)) {
      const held = yield* Effect.sync(() => tryLock(path))
      if (held !== undefined) return held
      if (performance.now() > until) {
        return yield* new RepositoryBusy({
          message: `Another process has been writing to the repository for ${Math.round(waitMillis / 1000)} s.`
        })
      }
      yield* Effect.interruptible(Effect.promise(() => wait(pause * (0.5 + Math.random()))))
    }
  })

/**
 * One writer at a time touches a repository: in this process by a queue, between processes by a lock on a file in its
 * common Git folder. Node has no file locks of its own, SQLite's are the kernel's: they end with the process that held
 * them, however it ended, so that no stale one is ever left to be judged. The file itself stays empty.
 */
export const withRepositoryLock = (commonDir: string, waitMillis: number) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | RepositoryBusy, R> =>
  inProcess(
    commonDir,
    Effect.acquireUseRelease(
      acquire(join(commonDir, "coppice.lock"), waitMillis),
      () => effect,
      (held) => Effect.sync(() => held.close())
    )
  )
