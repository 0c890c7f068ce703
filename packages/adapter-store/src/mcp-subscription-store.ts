import type { McpSubscription } from "@coppice/core"
import { McpSubscriptionStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { sessionSignal } from "./mcp-signal.ts"
import { escapeText, unescapeText } from "./record.ts"

export const mcpSubscriptionStoreLayer = Layer.effect(
  McpSubscriptionStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const changed = sql.literal(sessionSignal("session_id"))
    return McpSubscriptionStore.of({
      add: Effect.fn("McpSubscriptionStore.add")(function*(id, { revision, uri }, max) {
        // One at a time for each session, so that the number is exact.
        const sessions = yield* sql`
          SELECT id FROM mcp_sessions WHERE id = ${id} AND expires_at > clock_timestamp() FOR NO KEY UPDATE`
        if (sessions.length === 0) return false
        const rows = yield* sql`
          INSERT INTO mcp_subscriptions (session_id, uri, revision)
          SELECT ${id}, ${escapeText(uri)}, ${escapeText(revision)}
          WHERE (SELECT count(*) FROM mcp_subscriptions WHERE session_id = ${id} AND uri <> ${escapeText(uri)}) < ${max}
          ON CONFLICT (session_id, uri) DO UPDATE SET revision = excluded.revision RETURNING ${changed}`
        return rows.length === 1
      }, sql.withTransaction, Effect.orDie),
      remove: Effect.fn("McpSubscriptionStore.remove")(function*(id, uri) {
        yield* sql`
          DELETE FROM mcp_subscriptions WHERE session_id = ${id} AND uri = ${escapeText(uri)} RETURNING ${changed}`
      }, Effect.orDie),
      note: Effect.fn("McpSubscriptionStore.note")(function*(id, { revision, uri }) {
        yield* sql`
          UPDATE mcp_subscriptions SET revision = ${escapeText(revision)}
          WHERE session_id = ${id} AND uri = ${escapeText(uri)}`
      }, Effect.orDie),
      list: Effect.fn("McpSubscriptionStore.list")(function*(id) {
        const rows = yield* sql<McpSubscription>`
          SELECT uri, revision FROM mcp_subscriptions WHERE session_id = ${id} ORDER BY uri COLLATE "C"`
        return rows.map(({ revision, uri }) => ({ uri: unescapeText(uri), revision: unescapeText(revision) }))
      }, Effect.orDie)
    })
  })
)
