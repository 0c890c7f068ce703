import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { arrayParameter } from "./postgres.ts"

type Sweep = Effect.Effect<ReadonlyArray<unknown>, SqlError>

/**
 * What has run out of what the authorization server keeps, a batch of each at a time. A code is kept for a day after it
 * expired and a used refresh token until it expires, so that whoever presents it again is found out; a grant for 30 days
 * after its end.
 *
 * A client that registered itself goes once it is 14 days old, if it had no live grant in as many days and asks for none
 * now. However many there are, they never keep another one from registering.
 */
export const oauthSweeps = (sql: SqlClient, batch: number): ReadonlyArray<Sweep> => {
  // By an array, so that the rows are found by their key: a join would look through the whole table.
  const expired = (table: string, key: string, days: number) =>
    sql`DELETE FROM ${sql.literal(table)} WHERE ${sql.literal(key)} = ANY(ARRAY(
        SELECT ${sql.literal(key)} FROM ${sql.literal(table)} WHERE expires_at < clock_timestamp() - ${days} * interval '1 day'
        ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED
      )) RETURNING 1`
  const grants = sql`
    DELETE FROM grants WHERE (organization_id, id) IN (
      SELECT organization_id, id FROM grants WHERE least(expires_at, revoked_at) < clock_timestamp() - interval '30 days'
      LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
  const isLeft = sql`c.organization_id IS NULL AND c.created_at < clock_timestamp() - interval '14 days'
    AND NOT EXISTS (
      SELECT FROM grants g WHERE g.client_id = c.id
        AND least(g.expires_at, g.revoked_at) > clock_timestamp() - interval '14 days'
    )
    AND NOT EXISTS (SELECT FROM authorization_requests r WHERE r.client_id = c.id)`
  // Looked at again once they are held: somebody may have begun to use one just before.
  const clients = Effect.gen(function*() {
    const held = yield* sql<{ readonly id: string }>`
      SELECT c.id FROM oauth_clients c WHERE ${isLeft} LIMIT ${batch} FOR UPDATE SKIP LOCKED`
    const ids = arrayParameter.uuid(held.map(({ id }) => id))
    if (held.length > 0) yield* sql`DELETE FROM oauth_clients c WHERE c.id = ANY(${ids}) AND ${isLeft}`
    return held
  }).pipe(sql.withTransaction)
  return [
    expired("authorization_requests", "id", 0),
    expired("authorization_codes", "hash", 1),
    expired("access_tokens", "hash", 0),
    expired("refresh_tokens", "hash", 0),
    grants,
    clients
  ]
}
