import { PgClient } from "@effect/sql-pg"
import { type McpMessage, McpSession, type McpSessionId, type McpSessionOwner } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { cancelSignal, makeMcpSignals, sessionSignal } from "./mcp-signal.ts"
import { columns, escapeText, instant, recordOf, unescapeText } from "./record.ts"

const toSession = recordOf(McpSession)

export const mcpSessionStoreLayer = Layer.effect(
  McpSessionStore,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const listen = yield* makeMcpSignals(sql)
    const changed = sql.literal(sessionSignal("id"))
    const ofOwner = (owner: McpSessionOwner, id: McpSessionId) =>
      sql`id = ${id} AND organization_id = ${owner.organizationId} AND user_id = ${owner.userId}
        AND credential = ${escapeText(owner.credential)} AND expires_at > clock_timestamp()`
    const inMillis = (millis: number) => sql`clock_timestamp() + ${millis} * interval '1 millisecond'`
    return McpSessionStore.of({
      create: Effect.fn("McpSessionStore.create")(function*(session, { idleMillis, maxSessions }) {
        const credential = escapeText(session.credential)
        // One at a time for each credential, so that the number that stays is exact.
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${credential}, 0))`
        yield* sql`INSERT INTO mcp_sessions ${
          sql.insert(columns({
            id: session.id,
            organizationId: session.organizationId,
            userId: session.userId,
            credential: session.credential,
            protocolVersion: session.protocolVersion,
            clientName: session.clientName,
            clientVersion: session.clientVersion,
            elicits: session.elicits,
            logLevel: session.logLevel,
            expiresAt: instant(session.createdAt),
            createdAt: instant(session.createdAt),
            updatedAt: instant(session.updatedAt)
          }))
        }`
        yield* sql`UPDATE mcp_sessions SET expires_at = ${inMillis(idleMillis)} WHERE id = ${session.id}`
        yield* sql`
          DELETE FROM mcp_sessions WHERE id IN (
            SELECT id FROM mcp_sessions
            WHERE organization_id = ${session.organizationId} AND credential = ${credential} AND id <> ${session.id}
            ORDER BY updated_at DESC, created_at DESC OFFSET ${maxSessions - 1}
          ) RETURNING ${changed}`
      }, sql.withTransaction, Effect.orDie),
      use: Effect.fn("McpSessionStore.use")(function*(owner, id, idleMillis) {
        // Most uses are soon after another one, and write nothing.
        const [row] = yield* sql`
          WITH found AS (SELECT * FROM mcp_sessions WHERE ${ofOwner(owner, id)}),
          used AS (
            UPDATE mcp_sessions AS s SET expires_at = ${inMillis(idleMillis)}, updated_at = clock_timestamp()
            FROM found WHERE s.id = found.id AND found.expires_at < ${inMillis(idleMillis * 0.99)} RETURNING s.*
          )
          SELECT * FROM used UNION ALL SELECT * FROM found WHERE NOT EXISTS (SELECT FROM used)`
        return row === undefined ? undefined : toSession(row)
      }, Effect.orDie),
      setLogLevel: Effect.fn("McpSessionStore.setLogLevel")(function*(owner, id, level) {
        yield* sql`UPDATE mcp_sessions SET log_level = ${level} WHERE ${ofOwner(owner, id)}`
      }, Effect.orDie),
      end: Effect.fn("McpSessionStore.end")(function*(owner, id) {
        const rows = yield* sql`DELETE FROM mcp_sessions WHERE ${ofOwner(owner, id)} RETURNING ${changed}`
        return rows.length === 1
      }, Effect.orDie),
      openStream: Effect.fn("McpSessionStore.openStream")(function*(owner, id) {
        const [row] = yield* sql`
          UPDATE mcp_sessions SET stream = stream + 1 WHERE ${ofOwner(owner, id)} RETURNING *, ${changed}`
        return row === undefined ? undefined : toSession(row)
      }, Effect.orDie),
      say: Effect.fn("McpSessionStore.say")(function*(id, json, maxMessages) {
        yield* sql`
          WITH s AS (
            UPDATE mcp_sessions SET last_message = last_message + 1
            WHERE id = ${id} AND expires_at > clock_timestamp() RETURNING id, last_message
          ),
          gone AS (
            DELETE FROM mcp_messages AS m USING s WHERE m.session_id = s.id AND m.sequence <= s.last_message - ${maxMessages}
          )
          INSERT INTO mcp_messages (session_id, sequence, json) SELECT id, last_message, ${escapeText(json)} FROM s
          RETURNING ${sql.literal(sessionSignal("session_id"))}`
      }, Effect.orDie),
      messages: Effect.fn("McpSessionStore.messages")(function*(id, after, limit) {
        const rows = yield* sql<McpMessage>`
          SELECT sequence, json FROM mcp_messages WHERE session_id = ${id} AND sequence > ${after}
          ORDER BY sequence LIMIT ${limit}`
        return rows.map(({ json, sequence }) => ({ sequence, json: unescapeText(json) }))
      }, Effect.orDie),
      cancel: Effect.fn("McpSessionStore.cancel")(function*(id, request) {
        yield* sql`SELECT ${sql.literal(cancelSignal("s.id", "s.request"))}
          FROM (VALUES (${id}::text, ${request}::text)) AS s (id, request)`
      }, Effect.orDie),
      listen: (to, tell) => listen({ ...to, tell })
    })
  })
)
