import { AuthorizationCodeStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { storeTokens, usableGrant } from "./grant-record.ts"
import { MemoryDatabase, step } from "./memory-database.ts"

export const authorizationCodeStoreMemory = Layer.effect(
  AuthorizationCodeStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { authorizationCodes, grants } = database
    return AuthorizationCodeStore.of({
      find: (hash) =>
        step(({ at }) => {
          const row = authorizationCodes.get(hash)
          const grant = row && grants.get(row.grantId)
          if (row === undefined || grant === undefined) return undefined
          const { grantId: _, ...code } = row
          return { code: { ...code, grant }, at }
        }),
      redeem: (hash, tokens, maxMisses) =>
        step(({ at }) => {
          const row = authorizationCodes.get(hash)
          if (row === undefined || row.redeemedAt !== undefined || row.misses >= maxMisses) return false
          const grant = usableGrant(database, row.grantId, at)
          if (grant === undefined || DateTime.isLessThanOrEqualTo(row.expiresAt, at)) return false
          authorizationCodes.set(hash, { ...row, redeemedAt: at })
          storeTokens(database, grant, tokens, at)
          return true
        }),
      miss: (hash) =>
        step(() => {
          const row = authorizationCodes.get(hash)
          if (row !== undefined) authorizationCodes.set(hash, { ...row, misses: row.misses + 1 })
        })
    })
  })
)
