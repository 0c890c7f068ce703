import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

const batch = 1000

/**
 * Removes what has run out: rate windows a minute after they closed, idempotency keys a day after they expired, the
 * sessions that MCP clients left, and messages to them after an hour. It passes over rows that somebody holds, so that it neither waits nor is waited for in a ring.
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
  for (const rows of [windows, calls, sessions, messages]) {
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
