import { ApiKey, type OrganizationId, Principal, type SecretHash, type UserId } from "@coppice/core"
import { ApiKeyStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { credentialSignal } from "./mcp-signal.ts"
import { arrayParameter } from "./postgres.ts"
import { addHits, millis, usage } from "./rate-window.ts"
import { columns, instant, pageBounds, pageOf, recordOf, reference } from "./record.ts"

const toApiKey = recordOf(ApiKey)
const toPrincipal = recordOf(Principal)

/** API keys. What is presented is judged, and counted, in one statement. */
export const apiKeyStoreLayer = Layer.effect(
  ApiKeyStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const addingHits = sql.literal(addHits)
    const endsAtMillis = sql.literal(millis("w.ends_at"))
    const nowMillis = sql.literal(millis("k.now"))
    /** Whose key it is, while it opens something; stands beside `clock`. */
    const validKey = (hash: SecretHash) =>
      sql`SELECT k.id AS api_key_id, k.organization_id, k.user_id, m.role, k.access, k.project_ids, clock.now
        FROM api_keys k
        JOIN members m ON m.organization_id = k.organization_id AND m.user_id = k.user_id
        CROSS JOIN clock
        WHERE k.hash = ${hash} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock.now)`
    const keysOf = (organizationId: OrganizationId, { userId }: { readonly userId?: UserId }) =>
      userId === undefined
        ? sql`organization_id = ${organizationId}`
        : sql`organization_id = ${organizationId} AND user_id = ${userId}`
    return ApiKeyStore.of({
      create: Effect.fn("ApiKeyStore.create")(function*(key, hash) {
        yield* sql`INSERT INTO api_keys ${
          sql.insert(columns({
            id: key.id,
            organizationId: key.organizationId,
            userId: key.userId,
            name: key.name,
            hash,
            access: key.access,
            projectIds: key.projectIds && arrayParameter.uuid(key.projectIds),
            lastUsedAt: instant(key.lastUsedAt),
            expiresAt: instant(key.expiresAt),
            revokedAt: instant(key.revokedAt),
            createdAt: instant(key.createdAt),
            updatedAt: instant(key.updatedAt)
          }))
        }`
      }, Effect.orDie),
      list: Effect.fn("ApiKeyStore.list")(function*(organizationId, filter, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT * FROM api_keys WHERE ${keysOf(organizationId, filter)} AND id < ${before} ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toApiKey), page)
      }, Effect.orDie),
      find: Effect.fn("ApiKeyStore.find")(function*(organizationId, filter, id) {
        const [row] = yield* sql`SELECT * FROM api_keys WHERE ${keysOf(organizationId, filter)} AND id = ${id}`
        return row === undefined ? undefined : toApiKey(row)
      }, Effect.orDie),
      revoke: Effect.fn("ApiKeyStore.revoke")(function*(organizationId, filter, idOrName, at) {
        const { id, name } = reference(idOrName)
        // Of several keys by one name, the newest that still opens something.
        const [row] = yield* sql`
          WITH revoked AS (UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${instant(at)}),
            updated_at = CASE WHEN revoked_at IS NULL THEN ${instant(at)} ELSE updated_at END
          WHERE organization_id = ${organizationId} AND id = (
            SELECT id FROM api_keys WHERE ${keysOf(organizationId, filter)} AND (id = ${id} OR name = ${name})
            ORDER BY id = ${id} DESC NULLS LAST, revoked_at IS NULL DESC, id DESC LIMIT 1
          ) RETURNING *)
          SELECT revoked.*, ${sql.literal(credentialSignal("'api-key:' || revoked.id"))} FROM revoked`
        return row === undefined ? undefined : toApiKey(row)
      }, Effect.orDie),
      authenticate: Effect.fn("ApiKeyStore.authenticate")(function*(hash, limit, hits = 1) {
        const [row] = yield* sql<{ readonly count: number; readonly endsAtMillis: number; readonly nowMillis: number }>`
          WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
          k AS MATERIALIZED (${validKey(hash)}),
          w AS (
            INSERT INTO rate_windows AS w (key, count, opened_at, ends_at)
            SELECT 'api-key:' || k.api_key_id, ${hits}, k.now, k.now + ${limit.windowSeconds} * interval '1 second' FROM k
            ${addingHits} RETURNING count, ends_at
          ),
          used AS (
            UPDATE api_keys AS a SET last_used_at = k.now FROM k
            WHERE a.organization_id = k.organization_id AND a.id = k.api_key_id
              AND (a.last_used_at IS NULL OR a.last_used_at <= k.now - interval '1 minute')
          )
          SELECT k.api_key_id, k.organization_id, k.user_id, k.role, k.access, k.project_ids, w.count,
            ${endsAtMillis} AS ends_at_millis, ${nowMillis} AS now_millis
          FROM k CROSS JOIN w`
        if (row === undefined) return undefined
        return { principal: toPrincipal(row), usage: usage(limit, row.count, row.endsAtMillis, row.nowMillis) }
      }, Effect.orDie),
      identify: Effect.fn("ApiKeyStore.identify")(function*(hash) {
        const [row] = yield* sql`
          WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now), k AS (${validKey(hash)})
          SELECT api_key_id, organization_id, user_id, role, access, project_ids FROM k`
        return row === undefined ? undefined : toPrincipal(row)
      }, Effect.orDie)
    })
  })
)
