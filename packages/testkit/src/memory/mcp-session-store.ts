import type { McpSession, McpSessionId, McpSessionOwner } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert } from "./table.ts"

export const mcpSessionStoreMemory = Layer.effect(
  McpSessionStore,
  Effect.gen(function*() {
    const { mcpSessions } = yield* MemoryDatabase
    const ofOwner = (owner: McpSessionOwner, id: McpSessionId, at: DateTime.Utc): McpSession | undefined => {
      const session = mcpSessions.get(id)
      return session !== undefined && session.organizationId === owner.organizationId && session.userId === owner.userId &&
          session.credential === owner.credential && DateTime.isGreaterThan(session.expiresAt, at)
        ? session
        : undefined
    }
    return McpSessionStore.of({
      create: (session, { idleMillis, maxSessions }) =>
        step(({ at }) => {
          const theirs = [...mcpSessions.values()]
            .filter(({ credential, organizationId }) =>
              credential === session.credential && organizationId === session.organizationId)
            .toReversed()
            .toSorted((left, right) => DateTime.toEpochMillis(right.updatedAt) - DateTime.toEpochMillis(left.updatedAt))
          for (const { id } of theirs.slice(maxSessions - 1)) mcpSessions.delete(id)
          insert(mcpSessions, session.id, { ...session, expiresAt: DateTime.add(at, { milliseconds: idleMillis }) })
        }),
      use: (owner, id, idleMillis) =>
        step(({ at }) => {
          const session = ofOwner(owner, id, at)
          if (session === undefined) return undefined
          const used = { ...session, updatedAt: at, expiresAt: DateTime.add(at, { milliseconds: idleMillis }) }
          mcpSessions.set(id, used)
          return used
        }),
      setLogLevel: (owner, id, logLevel) =>
        step(({ at }) => {
          const session = ofOwner(owner, id, at)
          if (session !== undefined) mcpSessions.set(id, { ...session, logLevel })
        }),
      end: (owner, id) => step(({ at }) => ofOwner(owner, id, at) !== undefined && mcpSessions.delete(id))
    })
  })
)
