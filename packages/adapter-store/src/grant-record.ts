import { Grant, type NewTokens, type SecretHash } from "@coppice/core"
import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { credentialSignal } from "./mcp-signal.ts"
import { escapeText, instant, recordOf, textArray } from "./record.ts"

export const toGrant = recordOf(Grant)
export const toNamedGrant = recordOf(Schema.Struct({ ...Grant.fields, clientName: Schema.optionalKey(Schema.String) }))

/** Tells those who depend on a grant, in a statement that ended something of it; `id` is SQL. */
export const grantSignal = (id: string): string => credentialSignal(`'grant:' || ${id}`)

/** The instant that a statement judges by: the first of its parts. */
export const clockPart = "clock AS MATERIALIZED (SELECT clock_timestamp() AS now)"

/** Whether a grant `g` can be used at an instant, so far as it says itself. */
export const isLive = (now: string): string => `g.revoked_at IS NULL AND g.expires_at > ${now}`

/** The membership of a grant `g`'s user. */
export const joinMember = "JOIN members m ON m.organization_id = g.organization_id AND m.user_id = g.user_id"

/**
 * The parts that statements about grants are made of. Whoever locks several rows locks the member first, then the grant,
 * then what hangs on that: so no two wait for each other in a ring. A revocation waits for a use under way, and a use that
 * comes upon a revocation finds the grant over.
 */
export const grantParts = (sql: SqlClient) => {
  /** `g`: the usable grant of a code or of a refresh token, held until the statement is committed. */
  const holdGrant = (table: "authorization_codes" | "refresh_tokens", hash: SecretHash): Fragment =>
    sql`g AS MATERIALIZED (
      SELECT g.organization_id, g.id, g.expires_at FROM grants g ${sql.literal(joinMember)} CROSS JOIN clock
      WHERE (g.organization_id, g.id) = (SELECT t.organization_id, t.grant_id FROM ${sql.literal(table)} t WHERE t.hash = ${hash})
        AND ${sql.literal(isLive("clock.now"))} FOR NO KEY UPDATE OF g
    )`

  /** `member`: who gives a grant. A removal waits for this and then finds the grant, or this finds no member. */
  const holdMember = ({ organizationId, userId }: Grant): Fragment =>
    sql`member AS MATERIALIZED (
      SELECT FROM members WHERE organization_id = ${organizationId} AND user_id = ${userId} FOR KEY SHARE
    )`

  /** `g`: a new grant, where the part by that name has a row; for a service client the one that it has, if that was not revoked. */
  const insertGrant = (grant: Grant, where: "decided" | "member"): Fragment =>
    sql`g AS (
      INSERT INTO grants AS g (id, organization_id, user_id, client_id, redirect_uri, scope, resource, nonce, authenticated_at,
        expires_at, last_used_at, revoked_at, created_at, updated_at)
      SELECT ${grant.id}::uuid, ${grant.organizationId}::uuid, ${grant.userId}::uuid, ${grant.clientId}::uuid,
        ${text(grant.redirectUri)}::text, ${textArray(grant.scope)}::text[], ${text(grant.resource)}::text, ${text(grant.nonce)}::text,
        ${instant(grant.authenticatedAt)}::timestamptz, ${instant(grant.expiresAt)}::timestamptz,
        ${instant(grant.lastUsedAt)}::timestamptz, ${instant(grant.revokedAt)}::timestamptz,
        ${instant(grant.createdAt)}::timestamptz, ${instant(grant.updatedAt)}::timestamptz
      FROM ${sql.literal(where)}
      ON CONFLICT (organization_id, client_id, user_id, resource, scope) WHERE redirect_uri IS NULL AND revoked_at IS NULL
        DO UPDATE SET expires_at = greatest(g.expires_at, excluded.expires_at), updated_at = excluded.updated_at
      RETURNING g.organization_id, g.id, g.expires_at
    )`

  /** `access` and `refresh`: tokens for the grant that the part by that name has, which none of them outlasts. */
  const insertTokens = ({ accessHash, accessMillis, refresh, scope }: NewTokens, where: string): Fragment => {
    const until = (millis: number) => sql`least(g.expires_at, clock.now + ${millis}::float8 * interval '1 millisecond')`
    const of = sql.literal(`FROM ${where} AS g CROSS JOIN clock`)
    const access = sql`access AS (
      INSERT INTO access_tokens (hash, organization_id, grant_id, scope, expires_at)
      SELECT ${accessHash}::text, g.organization_id, g.id, ${textArray(scope)}::text[], ${until(accessMillis)} ${of}
    )`
    return refresh === undefined ? access : sql`${access}, refresh AS (
      INSERT INTO refresh_tokens (hash, organization_id, grant_id, expires_at)
      SELECT ${refresh.hash}::text, g.organization_id, g.id, ${until(refresh.idleMillis)} ${of}
    )`
  }
  return { holdGrant, holdMember, insertGrant, insertTokens }
}

const text = (value: string | undefined): string | null => value === undefined ? null : escapeText(value)
