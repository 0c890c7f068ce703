import { McpQuestionStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { sessionSignal } from "./mcp-signal.ts"
import { escapeText, unescapeText } from "./record.ts"

export const mcpQuestionStoreLayer = Layer.effect(
  McpQuestionStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const changed = sql.literal(sessionSignal("session_id"))
    return McpQuestionStore.of({
      open: Effect.fn("McpQuestionStore.open")(function*(id, key) {
        yield* sql`
          INSERT INTO mcp_questions (session_id, key)
          SELECT id, ${key} FROM mcp_sessions WHERE id = ${id} AND expires_at > clock_timestamp()
          ON CONFLICT DO NOTHING`
      }, Effect.orDie),
      answer: Effect.fn("McpQuestionStore.answer")(function*(id, key, json) {
        const rows = yield* sql`
          UPDATE mcp_questions SET answer = ${escapeText(json)}
          WHERE session_id = ${id} AND key = ${key} AND answer IS NULL RETURNING ${changed}`
        return rows.length === 1
      }, Effect.orDie),
      look: Effect.fn("McpQuestionStore.look")(function*(id, key) {
        const [row] = yield* sql<{ readonly answer: string | null }>`
          SELECT answer FROM mcp_questions WHERE session_id = ${id} AND key = ${key}`
        if (row === undefined) return undefined
        return row.answer === null ? {} : { answer: unescapeText(row.answer) }
      }, Effect.orDie),
      close: Effect.fn("McpQuestionStore.close")(function*(id, key) {
        yield* sql`DELETE FROM mcp_questions WHERE session_id = ${id} AND key = ${key}`
      }, Effect.orDie)
    })
  })
)
