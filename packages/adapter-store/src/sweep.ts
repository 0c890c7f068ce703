import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { oauthSweeps } from "./oauth-sweep.ts"

const batch = 1000

/** A year, and then some for those who look back at the end of it. */
const auditDays = 400

/**
 * Removes what has run out: rate windows a minute after they closed, idempotency keys a day after they expired, the
 * sessions that MCP clients left, and messages to them after an hour; sign-ins and invitations that expired; and entries
 * of the audit log after 400 days. It passes over rows that somebody holds, so that it neither waits nor is waited for in
 * a ring.
 */
export const sweep = Effect.gen(function*() {
  const sql = yield* SqlClient
  const windows = sql`
    DELETE FROM rate_windows WHERE key IN (
      SELECT key FROM rate_windows WHERE ends_at < clock_timestamp() - interval '1 minute'
      LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
  const calls = sql`
    DELETE FROM idempotent_calls WHERE (organization_id, user_id, key) IN (
      SELECT organization_id, user_id, key FROM idempotent_calls WHERE expires_at < clock_timestamp() - interval '1 day'
      ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
  const sessions = sql`
    DELETE FROM mcp_sessions WHERE id IN (
      SELECT id FROM mcp_sessions WHERE expires_at < clock_timestamp() LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
  const messages = sql`
    DELETE FROM mcp_messages WHERE (session_id, sequence) IN (
      SELECT session_id, sequence FROM mcp_messages WHERE created_at < clock_timestamp() - interval '1 hour'
      LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
  const browsers = sql`
    DELETE FROM browser_sessions WHERE id IN (
      SELECT id FROM browser_sessions WHERE expires_at < clock_timestamp() LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
  const invitations = sql`
    DELETE FROM invitations WHERE (organization_id, id) IN (
      SELECT organization_id, id FROM invitations WHERE expires_at < clock_timestamp() LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
  const entries = sql`
    DELETE FROM audit_entries WHERE (organization_id, id) IN (
      SELECT organization_id, id FROM audit_entries WHERE at < clock_timestamp() - ${auditDays} * interval '1 day'
      LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
  for (const rows of [windows, calls, sessions, messages, browsers, invitations, entries, ...oauthSweeps(sql, batch)]) {
    while ((yield* rows).length === batch) yield* Effect.yieldNow
  }
})

/** Sweeps each minute for as long as the layer lives. A sweep that fails is only late: the next one does its work. */
export const sweepLayer = Layer.effectDiscard(
  sweep.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Sweeping the database failed", cause)),
    Effect.delay("1 minute"),
    Effect.forever,
    Effect.forkScoped
  )
)
