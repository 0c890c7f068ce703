import { BrowserSession, type UserId } from "@coppice/core"
import { BrowserSessionStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { escapeText, instant, isThere, recordOf } from "./record.ts"

const toSession = recordOf(BrowserSession)

export const browserSessionStoreLayer = Layer.effect(
  BrowserSessionStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    /** One at a time for each user, so that the number of sessions that stays is exact. */
    const inTurn = (userId: UserId) => sql`SELECT pg_advisory_xact_lock(hashtextextended(${`browser sessions ${userId}`}, 0))`
    return BrowserSessionStore.of({
      create: Effect.fn("BrowserSessionStore.create")(function*(session, hash, maxSessions) {
        yield* inTurn(session.userId)
        yield* sql`
          INSERT INTO browser_sessions
            (id, user_id, hash, address, user_agent, authenticated_at, expires_at, created_at, updated_at)
          VALUES (${session.id}, ${session.userId}, ${hash}, ${escapeText(session.address)}, ${escapeText(session.userAgent)},
            ${instant(session.authenticatedAt)}, ${instant(session.expiresAt)}, ${instant(session.createdAt)}, clock_timestamp())`
        yield* sql`
          DELETE FROM browser_sessions WHERE id IN (
            SELECT id FROM browser_sessions WHERE user_id = ${session.userId} AND id <> ${session.id}
            ORDER BY id DESC OFFSET ${maxSessions - 1}
          )`
      }, sql.withTransaction, Effect.orDie),
      use: Effect.fn("BrowserSessionStore.use")(function*(hash, idleMillis) {
        // Most uses are soon after another one, and write nothing.
        const [row] = yield* sql`
          WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
          found AS (
            SELECT s.* FROM browser_sessions s CROSS JOIN clock
            WHERE s.hash = ${hash} AND s.expires_at > clock.now
              AND s.updated_at > clock.now - ${idleMillis} * interval '1 millisecond'
          ),
          used AS (
            UPDATE browser_sessions AS s SET updated_at = clock.now FROM found CROSS JOIN clock
            WHERE s.id = found.id AND s.updated_at <= clock.now - interval '1 minute' RETURNING s.*
          )
          SELECT * FROM used UNION ALL SELECT * FROM found WHERE NOT EXISTS (SELECT FROM used)`
        return row === undefined ? undefined : toSession(row)
      }, Effect.orDie),
      end: Effect.fn("BrowserSessionStore.end")(function*(userId, id) {
        return isThere(yield* sql`DELETE FROM browser_sessions WHERE user_id = ${userId} AND id = ${id} RETURNING id`)
      }, Effect.orDie),
      endAll: Effect.fn("BrowserSessionStore.endAll")(function*(userId, keep) {
        const rows = yield* sql`
          DELETE FROM browser_sessions WHERE user_id = ${userId} AND id IS DISTINCT FROM ${keep ?? null}::uuid RETURNING id`
        return rows.length
      }, Effect.orDie),
      list: Effect.fn("BrowserSessionStore.list")(function*(userId) {
        const rows = yield* sql`
          SELECT * FROM browser_sessions WHERE user_id = ${userId} AND expires_at > clock_timestamp() ORDER BY id DESC`
        return rows.map(toSession)
      }, Effect.orDie)
    })
  })
)
