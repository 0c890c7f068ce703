import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** One table for all of its models, found by their key; a statement for each step, as its adapters have them. */
export const createOidcTable = (sql: SqlClient) =>
  Effect.andThen(
    sql`CREATE TABLE IF NOT EXISTS oidc_models (
      model text NOT NULL,
      id text NOT NULL,
      payload jsonb NOT NULL,
      grant_id text,
      consumed_at timestamptz,
      expires_at timestamptz,
      PRIMARY KEY (model, id)
    )`,
    sql`CREATE INDEX IF NOT EXISTS oidc_models_of_grant ON oidc_models (grant_id)`
  )

interface Row {
  readonly payload: object
  readonly consumedSeconds: number | null
}

/** The least that oidc-provider needs to keep its models in PostgreSQL. */
export const makeOidcAdapter = (sql: SqlClient, run: <A>(effect: Effect.Effect<A, SqlError>) => Promise<A>) =>
  class OidcAdapter {
    readonly model: string
    constructor(model: string) {
      this.model = model
    }
    async upsert(id: string, payload: { readonly grantId?: string }, expiresInSeconds?: number): Promise<void> {
      await run(sql`
        INSERT INTO oidc_models (model, id, payload, grant_id, expires_at)
        VALUES (${this.model}, ${id}, ${JSON.stringify(payload)}::text::jsonb, ${payload.grantId ?? null},
          clock_timestamp() + ${expiresInSeconds ?? null}::float8 * interval '1 second')
        ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at`)
    }
    async find(id: string): Promise<object | undefined> {
      const [row] = await run(sql<Row>`
        SELECT payload, extract(epoch FROM consumed_at)::float8 AS consumed_seconds FROM oidc_models
        WHERE model = ${this.model} AND id = ${id} AND (expires_at IS NULL OR expires_at > clock_timestamp())`)
      if (row === undefined) return undefined
      return row.consumedSeconds === null ? row.payload : { ...row.payload, consumed: Math.floor(row.consumedSeconds) }
    }
    async consume(id: string): Promise<void> {
      await run(sql`UPDATE oidc_models SET consumed_at = clock_timestamp() WHERE model = ${this.model} AND id = ${id}`)
    }
    async destroy(id: string): Promise<void> {
      await run(sql`DELETE FROM oidc_models WHERE model = ${this.model} AND id = ${id}`)
    }
    async revokeByGrantId(grantId: string): Promise<void> {
      await run(sql`DELETE FROM oidc_models WHERE grant_id = ${grantId}`)
    }
  }
