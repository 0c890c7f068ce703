import type { SigningKey, Timestamp } from "@coppice/core"
import { SigningKeyStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert } from "./table.ts"

export const signingKeyStoreMemory = Layer.effect(
  SigningKeyStore,
  Effect.gen(function*() {
    const { signingKeys } = yield* MemoryDatabase
    const published = (at: Timestamp): ReadonlyArray<SigningKey> =>
      [...signingKeys.values()]
        .filter(({ retiresAt }) => DateTime.isGreaterThan(retiresAt, at))
        .toSorted((left, right) => left.id < right.id ? 1 : -1)
    return SigningKeyStore.of({
      list: (at) => step(() => published(at)),
      add: (key, unlessSignsFrom) =>
        step(() => {
          const isThere = [...signingKeys.values()].some(({ signsFrom }) =>
            DateTime.isGreaterThanOrEqualTo(signsFrom, unlessSignsFrom)
          )
          if (!isThere) insert(signingKeys, key.id, key)
          return published(key.createdAt)
        })
    })
  })
)
