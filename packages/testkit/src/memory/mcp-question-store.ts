import { McpQuestionStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step, tellMcp } from "./memory-database.ts"

export const mcpQuestionStoreMemory = Layer.effect(
  McpQuestionStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { mcpQuestions, mcpSessions } = database
    return McpQuestionStore.of({
      open: (id, key) =>
        step(({ at }) => {
          const session = mcpSessions.get(id)
          if (session === undefined || DateTime.isLessThanOrEqualTo(session.expiresAt, at)) return
          const theirs = mcpQuestions.get(id) ?? new Map<string, string | undefined>()
          if (!theirs.has(key)) mcpQuestions.set(id, theirs.set(key, undefined))
        }),
      answer: (id, key, json) =>
        step(() => {
          const theirs = mcpQuestions.get(id)
          if (theirs?.has(key) !== true || theirs.get(key) !== undefined) return false
          theirs.set(key, json)
          tellMcp(database, { id }, { _tag: "Changed" })
          return true
        }),
      look: (id, key) =>
        step(() => {
          const theirs = mcpQuestions.get(id)
          if (theirs?.has(key) !== true) return undefined
          const answer = theirs.get(key)
          return answer === undefined ? {} : { answer }
        }),
      close: (id, key) => step(() => void mcpQuestions.get(id)?.delete(key))
    })
  })
)
