import type { BrowserSession, Timestamp } from "@coppice/core"
import { BrowserSessionStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert } from "./table.ts"

const minuteMillis = 60_000

const lasts = (session: BrowserSession, at: Timestamp): boolean => DateTime.isGreaterThan(session.expiresAt, at)

export const browserSessionStoreMemory = Layer.effect(
  BrowserSessionStore,
  Effect.gen(function*() {
    const { browserSessions } = yield* MemoryDatabase
    const newestFirst = (userId: BrowserSession["userId"]) =>
      [...browserSessions.values()]
        .flatMap(({ session }) => session.userId === userId ? [session] : [])
        .toSorted((left, right) => left.id < right.id ? 1 : -1)
    const end = (sessions: ReadonlyArray<BrowserSession>): number => {
      for (const { id } of sessions) browserSessions.delete(id)
      return sessions.length
    }
    return BrowserSessionStore.of({
      create: (session, hash, maxSessions) =>
        step(({ at }) => {
          insert(browserSessions, session.id, { session: { ...session, updatedAt: at }, hash })
          end(newestFirst(session.userId).filter(({ id }) => id !== session.id).slice(maxSessions - 1))
        }),
      use: (hash, idleMillis) =>
        step(({ at, millis }) => {
          const row = [...browserSessions.values()].find((row) => row.hash === hash)
          if (row === undefined || !lasts(row.session, at)) return undefined
          const unusedMillis = millis - DateTime.toEpochMillis(row.session.updatedAt)
          if (unusedMillis >= idleMillis) return undefined
          if (unusedMillis < minuteMillis) return row.session
          const used = { ...row.session, updatedAt: at }
          browserSessions.set(used.id, { ...row, session: used })
          return used
        }),
      end: (userId, id) => step(() => end(newestFirst(userId).filter((session) => session.id === id)) > 0),
      endAll: (userId, keep) => step(() => end(newestFirst(userId).filter(({ id }) => id !== keep))),
      list: (userId) => step(({ at }) => newestFirst(userId).filter((session) => lasts(session, at)))
    })
  })
)
