import { McpSubscriptionStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step, tellMcp } from "./memory-database.ts"

export const mcpSubscriptionStoreMemory = Layer.effect(
  McpSubscriptionStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { mcpSessions, mcpSubscriptions } = database
    return McpSubscriptionStore.of({
      add: (id, { revision, uri }, max) =>
        step(({ at }) => {
          const session = mcpSessions.get(id)
          if (session === undefined || DateTime.isLessThanOrEqualTo(session.expiresAt, at)) return false
          const theirs = mcpSubscriptions.get(id) ?? new Map<string, string>()
          if (!theirs.has(uri) && theirs.size >= max) return false
          mcpSubscriptions.set(id, theirs.set(uri, revision))
          tellMcp(database, { id }, { _tag: "Changed" })
          return true
        }),
      remove: (id, uri) =>
        step(() => {
          if (mcpSubscriptions.get(id)?.delete(uri) === true) tellMcp(database, { id }, { _tag: "Changed" })
        }),
      note: (id, { revision, uri }) =>
        step(() => {
          const theirs = mcpSubscriptions.get(id)
          if (theirs?.has(uri) === true) theirs.set(uri, revision)
        }),
      list: (id) =>
        step(() =>
          [...mcpSubscriptions.get(id) ?? []]
            .map(([uri, revision]) => ({ uri, revision }))
            .toSorted((left, right) => left.uri < right.uri ? -1 : 1)
        )
    })
  })
)
