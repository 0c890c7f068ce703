import { Timestamp } from "@coppice/core"
import { AuthorizationCodeStore } from "@coppice/core/ports"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { clockPart, grantParts, toGrant } from "./grant-record.ts"
import { isThere, recordOf } from "./record.ts"

const toCode = recordOf(Schema.Struct({
  codeChallenge: Schema.String,
  codeExpiresAt: Timestamp,
  redeemedAt: Schema.optionalKey(Timestamp),
  misses: Schema.Int,
  now: Timestamp
}))

export const authorizationCodeStoreLayer = Layer.effect(
  AuthorizationCodeStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const { holdGrant, insertTokens } = grantParts(sql)
    const clock = sql.literal(clockPart)
    return AuthorizationCodeStore.of({
      find: Effect.fn("AuthorizationCodeStore.find")(function*(hash) {
        const [row] = yield* sql`
          WITH ${clock}
          SELECT g.*, c.code_challenge, c.expires_at AS code_expires_at, c.redeemed_at, c.misses, clock.now
          FROM authorization_codes c JOIN grants g ON g.organization_id = c.organization_id AND g.id = c.grant_id
          CROSS JOIN clock WHERE c.hash = ${hash}`
        if (row === undefined) return undefined
        const { codeExpiresAt: expiresAt, now: at, ...code } = toCode(row)
        return { code: { ...code, expiresAt, grant: toGrant(row) }, at }
      }, Effect.orDie),
      redeem: Effect.fn("AuthorizationCodeStore.redeem")(function*(hash, tokens, maxMisses) {
        return isThere(
          yield* sql`
            WITH ${clock}, ${holdGrant("authorization_codes", hash)},
            redeemed AS (
              UPDATE authorization_codes AS c SET redeemed_at = clock.now FROM g CROSS JOIN clock
              WHERE c.hash = ${hash} AND c.redeemed_at IS NULL AND c.misses < ${maxMisses} AND c.expires_at > clock.now
              RETURNING g.organization_id, g.id, g.expires_at
            ),
            ${insertTokens(tokens, "redeemed")}
            SELECT FROM redeemed`
        )
      }, Effect.orDie),
      miss: Effect.fn("AuthorizationCodeStore.miss")(function*(hash) {
        yield* sql`UPDATE authorization_codes SET misses = misses + 1 WHERE hash = ${hash}`
      }, Effect.orDie)
    })
  })
)
