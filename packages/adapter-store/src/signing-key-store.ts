import { SigningKey, type Timestamp } from "@coppice/core"
import { SigningKeyStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { columns, instant, isThere, recordOf } from "./record.ts"

const toKey = recordOf(SigningKey)

export const signingKeyStoreLayer = Layer.effect(
  SigningKeyStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const list = Effect.fnUntraced(function*(at: Timestamp) {
      const rows = yield* sql`SELECT * FROM signing_keys WHERE retires_at > ${instant(at)} ORDER BY id DESC`
      return rows.map(toKey)
    })
    return SigningKeyStore.of({
      list: Effect.fn("SigningKeyStore.list")(list, Effect.orDie),
      add: Effect.fn("SigningKeyStore.add")(function*(key, unlessSignsFrom) {
        // One at a time, so that only the first finds none there.
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('coppice signing keys', 0))`
        const there = yield* sql`SELECT FROM signing_keys WHERE signs_from >= ${instant(unlessSignsFrom)} LIMIT 1`
        if (!isThere(there)) {
          yield* sql`INSERT INTO signing_keys ${
            sql.insert(columns({
              id: key.id,
              publicJwk: key.publicJwk,
              privateJwk: key.privateJwk,
              createdAt: instant(key.createdAt),
              signsFrom: instant(key.signsFrom),
              retiresAt: instant(key.retiresAt)
            }))
          }`
        }
        return yield* list(key.createdAt)
      }, sql.withTransaction, Effect.orDie)
    })
  })
)
