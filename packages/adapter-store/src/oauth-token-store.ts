import { GrantedAccess, Principal, type SecretHash, Timestamp } from "@coppice/core"
import { OAuthTokenStore } from "@coppice/core/ports"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { clockPart, grantParts, grantSignal, isLive, joinMember, toGrant } from "./grant-record.ts"
import { addHits, millis, usage } from "./rate-window.ts"
import { instant, recordOf } from "./record.ts"

const toCaller = recordOf(Principal)
const toGranted = recordOf(GrantedAccess)
const toPrincipal = (row: object): Principal => ({ ...toCaller(row), grant: toGranted(row) })

const toRefresh = recordOf(Schema.Struct({
  tokenExpiresAt: Timestamp,
  rotatedAt: Schema.optionalKey(Timestamp),
  reuses: Schema.Int,
  now: Timestamp
}))

/** Access and refresh tokens. What is presented is judged, and counted or exchanged, in one statement. */
export const oauthTokenStoreLayer = Layer.effect(
  OAuthTokenStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const { holdGrant, holdMember, insertGrant, insertTokens } = grantParts(sql)
    const addingHits = sql.literal(addHits)
    const clock = sql.literal(clockPart)
    const endsAtMillis = sql.literal(millis("w.ends_at"))
    const membership = sql.literal(joinMember)
    const nowMillis = sql.literal(millis("k.now"))
    const grantOfToken = sql.literal("JOIN grants g ON g.organization_id = t.organization_id AND g.id = t.grant_id")
    const isLiveNow = sql.literal(isLive("clock.now"))
    /** Who may do what with a token, while it opens something; stands beside `clock`. */
    const validToken = (hash: SecretHash) =>
      sql`SELECT g.organization_id, g.user_id, m.role, g.id, g.client_id, t.scope, g.resource, clock.now
        FROM access_tokens t ${grantOfToken} ${membership} CROSS JOIN clock
        WHERE t.hash = ${hash} AND t.expires_at > clock.now AND ${isLiveNow}`
    return OAuthTokenStore.of({
      authenticate: Effect.fn("OAuthTokenStore.authenticate")(function*(hash, limit, hits = 1) {
        const [row] = yield* sql<{ readonly count: number; readonly endsAtMillis: number; readonly nowMillis: number }>`
          WITH ${clock}, k AS MATERIALIZED (${validToken(hash)}),
          w AS (
            INSERT INTO rate_windows AS w (key, count, opened_at, ends_at)
            SELECT 'grant:' || k.id, ${hits}, k.now, k.now + ${limit.windowSeconds} * interval '1 second' FROM k
            ${addingHits} RETURNING count, ends_at
          ),
          used AS (
            UPDATE grants AS g SET last_used_at = k.now FROM k CROSS JOIN w
            WHERE g.organization_id = k.organization_id AND g.id = k.id
              AND (g.last_used_at IS NULL OR g.last_used_at <= k.now - interval '1 minute')
          )
          SELECT k.*, w.count, ${endsAtMillis} AS ends_at_millis, ${nowMillis} AS now_millis FROM k CROSS JOIN w`
        if (row === undefined) return undefined
        return { principal: toPrincipal(row), usage: usage(limit, row.count, row.endsAtMillis, row.nowMillis) }
      }, Effect.orDie),
      identify: Effect.fn("OAuthTokenStore.identify")(function*(hash) {
        const [row] = yield* sql`WITH ${clock} ${validToken(hash)}`
        return row === undefined ? undefined : toPrincipal(row)
      }, Effect.orDie),
      issue: Effect.fn("OAuthTokenStore.issue")(function*(grant, tokens) {
        yield* sql`
          WITH ${clock}, ${holdMember(grant)}, ${insertGrant(grant, "member")}, ${insertTokens(tokens, "g")}
          SELECT FROM g`
      }, Effect.orDie),
      findRefresh: Effect.fn("OAuthTokenStore.findRefresh")(function*(hash) {
        const [row] = yield* sql`
          WITH ${clock}
          SELECT g.*, t.expires_at AS token_expires_at, t.rotated_at, t.reuses, clock.now
          FROM refresh_tokens t ${grantOfToken} ${membership} CROSS JOIN clock WHERE t.hash = ${hash} AND ${isLiveNow}`
        if (row === undefined) return undefined
        const { now: at, tokenExpiresAt: expiresAt, ...token } = toRefresh(row)
        return { token: { ...token, expiresAt, grant: toGrant(row) }, at }
      }, Effect.orDie),
      rotate: Effect.fn("OAuthTokenStore.rotate")(function*(hash, tokens, { graceMillis, maxReuses }) {
        const [row] = yield* sql<{ readonly isGood: boolean }>`
          WITH ${clock}, ${holdGrant("refresh_tokens", hash)},
          t AS MATERIALIZED (
            SELECT g.organization_id, g.id, g.expires_at, t.rotated_at, t.reuses
            FROM refresh_tokens t CROSS JOIN g CROSS JOIN clock
            WHERE t.hash = ${hash} AND t.expires_at > clock.now FOR NO KEY UPDATE OF t
          ),
          judged AS MATERIALIZED (
            SELECT t.*, t.rotated_at IS NULL OR (
              t.rotated_at + ${graceMillis}::float8 * interval '1 millisecond' > clock.now AND t.reuses < ${maxReuses}
            ) AS is_good FROM t CROSS JOIN clock
          ),
          rotated AS (
            UPDATE refresh_tokens AS r SET rotated_at = coalesce(judged.rotated_at, clock.now),
              reuses = judged.reuses + (judged.rotated_at IS NOT NULL)::integer
            FROM judged CROSS JOIN clock WHERE r.hash = ${hash} AND judged.is_good
            RETURNING judged.organization_id, judged.id, judged.expires_at
          ),
          ${insertTokens(tokens, "rotated")},
          revoked AS (
            UPDATE grants AS g SET revoked_at = clock.now, updated_at = clock.now FROM judged CROSS JOIN clock
            WHERE g.organization_id = judged.organization_id AND g.id = judged.id AND NOT judged.is_good RETURNING g.id
          )
          SELECT judged.is_good, (SELECT ${sql.literal(grantSignal("revoked.id"))} FROM revoked) FROM judged`
        return row === undefined ? "refused" : row.isGood ? "rotated" : "reused"
      }, Effect.orDie),
      revoke: Effect.fn("OAuthTokenStore.revoke")(function*(hash, clientId, at) {
        const live = sql.literal(isLive("clock.now"))
        const ofClient = clientId === undefined ? live : sql`${live} AND g.client_id = ${clientId}`
        const [row] = yield* sql`
          WITH ${clock},
          forgotten AS (
            DELETE FROM access_tokens AS t USING grants g, clock
            WHERE t.hash = ${hash} AND t.expires_at > clock.now AND g.organization_id = t.organization_id AND g.id = t.grant_id
              AND ${ofClient} RETURNING g.*
          ),
          revoked AS (
            UPDATE grants AS g SET revoked_at = ${instant(at)}, updated_at = ${instant(at)} FROM refresh_tokens t, clock
            WHERE t.hash = ${hash} AND g.organization_id = t.organization_id AND g.id = t.grant_id AND ${ofClient} RETURNING g.*
          ),
          ended AS (SELECT * FROM forgotten UNION ALL SELECT * FROM revoked)
          SELECT ended.*, ${sql.literal(grantSignal("ended.id"))} FROM ended`
        return row === undefined ? undefined : toGrant(row)
      }, Effect.orDie)
    })
  })
)
