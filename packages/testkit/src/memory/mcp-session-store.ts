import type { McpSession, McpSessionId, McpSessionOwner } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step, tellMcp } from "./memory-database.ts"
import { insert } from "./table.ts"

export const mcpSessionStoreMemory = Layer.effect(
  McpSessionStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { mcpListeners, mcpMessages, mcpQuestions, mcpSessions, mcpSubscriptions } = database
    const end = (id: McpSessionId): boolean => {
      for (const theirs of [mcpMessages, mcpQuestions, mcpSubscriptions]) theirs.delete(id)
      tellMcp(database, { id }, { _tag: "Changed" })
      return mcpSessions.delete(id)
    }
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
          for (const { id } of theirs.slice(maxSessions - 1)) end(id)
          insert(mcpSessions, session.id, {
            ...session,
            stream: 0,
            lastMessage: 0,
            expiresAt: DateTime.add(at, { milliseconds: idleMillis })
          })
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
      end: (owner, id) => step(({ at }) => ofOwner(owner, id, at) !== undefined && end(id)),
      openStream: (owner, id) =>
        step(({ at }) => {
          const session = ofOwner(owner, id, at)
          if (session === undefined) return undefined
          const opened = { ...session, stream: session.stream + 1 }
          mcpSessions.set(id, opened)
          tellMcp(database, { id }, { _tag: "Changed" })
          return opened
        }),
      say: (id, json, maxMessages) =>
        step(({ at }) => {
          const session = mcpSessions.get(id)
          if (session === undefined || DateTime.isLessThanOrEqualTo(session.expiresAt, at)) return
          const sequence = session.lastMessage + 1
          mcpSessions.set(id, { ...session, lastMessage: sequence })
          mcpMessages.set(id, [...mcpMessages.get(id) ?? [], { sequence, json }].slice(-maxMessages))
          tellMcp(database, { id }, { _tag: "Changed" })
        }),
      messages: (id, after, limit) =>
        step(() => (mcpMessages.get(id) ?? []).filter(({ sequence }) => sequence > after).slice(0, limit)),
      cancel: (id, request) => step(() => tellMcp(database, { id }, { _tag: "Cancel", request })),
      listen: (to, tell) =>
        Effect.asVoid(Effect.acquireRelease(
          Effect.sync(() => {
            const listener = { ...to, tell }
            mcpListeners.add(listener)
            return listener
          }),
          (listener) => Effect.sync(() => mcpListeners.delete(listener))
        ))
    })
  })
)
