import type { IdempotentCall } from "@coppice/core"
import { IdempotencyStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { columns, escapeText, instant, unescapeText } from "./record.ts"

export const idempotencyStoreLayer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const begun = (call: IdempotentCall) =>
      sql`organization_id = ${call.organizationId} AND user_id = ${call.userId} AND key = ${escapeText(call.key)}
        AND fingerprint = ${escapeText(call.fingerprint)} AND result IS NULL`
    return IdempotencyStore.of({
      begin: Effect.fn("IdempotencyStore.begin")(function*(call, at, expiresAt) {
        // The conflicting row is always written, if only with what it holds, so that it is locked and returned as it is
        // now; `begun_by` tells whether it is this call's. A plain look-up after a lost race would not see the winner.
        const caller = crypto.randomUUID()
        const [row] = yield* sql<{
          readonly begun: boolean
          readonly fingerprint: string
          readonly result: string | null
        }>`
          INSERT INTO idempotent_calls AS c ${
          sql.insert(columns({
            organizationId: call.organizationId,
            userId: call.userId,
            key: call.key,
            fingerprint: call.fingerprint,
            begunBy: caller,
            expiresAt: instant(expiresAt)
          }))
        }
          ON CONFLICT (organization_id, user_id, key) DO UPDATE SET
            fingerprint = CASE WHEN c.expires_at <= ${instant(at)} THEN excluded.fingerprint ELSE c.fingerprint END,
            result = CASE WHEN c.expires_at <= ${instant(at)} THEN NULL ELSE c.result END,
            begun_by = CASE WHEN c.expires_at <= ${instant(at)} THEN excluded.begun_by ELSE c.begun_by END,
            expires_at = CASE WHEN c.expires_at <= ${instant(at)} THEN excluded.expires_at ELSE c.expires_at END
          RETURNING begun_by = ${caller} AS begun, fingerprint, result`
        const { begun, fingerprint, result } = row!
        if (begun) return { _tag: "begun" as const }
        if (unescapeText(fingerprint) !== call.fingerprint) return { _tag: "mismatch" as const }
        return result === null ? { _tag: "pending" as const } : { _tag: "done" as const, result: unescapeText(result) }
      }, Effect.orDie),
      complete: Effect.fn("IdempotencyStore.complete")(function*(call, result) {
        yield* sql`UPDATE idempotent_calls SET result = ${escapeText(result)} WHERE ${begun(call)}`
      }, Effect.orDie),
      abandon: Effect.fn("IdempotencyStore.abandon")(function*(call) {
        yield* sql`DELETE FROM idempotent_calls WHERE ${begun(call)}`
      }, Effect.orDie)
    })
  })
)
