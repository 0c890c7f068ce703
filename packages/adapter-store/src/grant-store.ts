import { AuthorizationRequest, type AuthorizationRequestId, type OrganizationId, type SecretHash, type UserId } from "@coppice/core"
import { GrantStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { grantParts, grantSignal, isLive, toNamedGrant } from "./grant-record.ts"
import { columns, escapeText, instant, isThere, pageBounds, pageOf, recordOf, textArray } from "./record.ts"

const toRequest = recordOf(AuthorizationRequest)

export const grantStoreLayer = Layer.effect(
  GrantStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const { holdMember, insertGrant } = grantParts(sql)
    const live = sql.literal(isLive("clock_timestamp()"))
    const undecided = (id: AuthorizationRequestId, visit: SecretHash) =>
      sql`id = ${id} AND visit = ${visit} AND expires_at > clock_timestamp()`
    const ofUser = (organizationId: OrganizationId, userId: UserId | undefined) =>
      userId === undefined
        ? sql`g.organization_id = ${organizationId}`
        : sql`g.organization_id = ${organizationId} AND g.user_id = ${userId}`
    return GrantStore.of({
      begin: Effect.fn("GrantStore.begin")(function*(request) {
        yield* sql`INSERT INTO authorization_requests ${
          sql.insert(columns({
            id: request.id,
            clientId: request.clientId,
            redirectUri: request.redirectUri,
            scope: textArray(request.scope),
            resource: request.resource,
            codeChallenge: request.codeChallenge,
            state: request.state,
            nonce: request.nonce,
            issuer: request.issuer,
            visit: request.visit,
            authenticatedAfter: instant(request.authenticatedAfter),
            createdAt: instant(request.createdAt),
            expiresAt: instant(request.expiresAt)
          }))
        }`
      }, Effect.orDie),
      open: Effect.fn("GrantStore.open")(function*(id, visit, userId, authenticatedAt) {
        const [row] = yield* sql`
          UPDATE authorization_requests
          SET user_id = CASE WHEN authenticated_after > ${instant(authenticatedAt)}::timestamptz THEN user_id ELSE ${userId}::uuid END
          WHERE ${undecided(id, visit)} AND (user_id IS NULL OR user_id = ${userId}) RETURNING *`
        return row === undefined ? undefined : toRequest(row)
      }, Effect.orDie),
      decide: Effect.fn("GrantStore.decide")(function*(id, visit, userId, approval) {
        const decide = sql`DELETE FROM authorization_requests WHERE ${undecided(id, visit)} AND user_id = ${userId}`
        if (approval === undefined) return isThere(yield* sql`${decide} RETURNING id`)
        const { codeChallenge, codeExpiresAt, codeHash, grant } = approval
        return isThere(
          yield* sql`
            WITH ${holdMember(grant)},
            decided AS (${decide} AND EXISTS (SELECT FROM member) RETURNING id),
            ${insertGrant(grant, "decided")}
            INSERT INTO authorization_codes (hash, organization_id, grant_id, code_challenge, expires_at)
            SELECT ${codeHash}::text, g.organization_id, g.id, ${escapeText(codeChallenge)}::text, ${instant(codeExpiresAt)}::timestamptz
            FROM g RETURNING grant_id`
        )
      }, Effect.orDie),
      list: Effect.fn("GrantStore.list")(function*(organizationId, userId, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT g.*, c.name AS client_name FROM grants g JOIN oauth_clients c ON c.id = g.client_id
          WHERE ${ofUser(organizationId, userId)} AND ${live} AND g.id < ${before} ORDER BY g.id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toNamedGrant), page)
      }, Effect.orDie),
      find: Effect.fn("GrantStore.find")(function*(organizationId, id, userId) {
        const [row] = yield* sql`
          SELECT g.*, c.name AS client_name FROM grants g JOIN oauth_clients c ON c.id = g.client_id
          WHERE ${ofUser(organizationId, userId)} AND ${live} AND g.id = ${id}`
        return row === undefined ? undefined : toNamedGrant(row)
      }, Effect.orDie),
      revoke: Effect.fn("GrantStore.revoke")(function*(organizationId, id, userId, at) {
        const [row] = yield* sql`
          WITH g AS (
            UPDATE grants AS g SET revoked_at = ${instant(at)}, updated_at = ${instant(at)}
            WHERE ${ofUser(organizationId, userId)} AND g.id = ${id} AND ${live} RETURNING g.*
          )
          SELECT g.*, c.name AS client_name, ${sql.literal(grantSignal("g.id"))}
          FROM g JOIN oauth_clients c ON c.id = g.client_id`
        return row === undefined ? undefined : toNamedGrant(row)
      }, Effect.orDie)
    })
  })
)
