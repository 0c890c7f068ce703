import { type ApiKey, type ApiKeyId, hit, type OrganizationId, type Principal, type SecretHash, type Timestamp, type UserId } from "@coppice/core"
import { ApiKeyStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step, tellMcp } from "./memory-database.ts"
import { insert, owned, pageOf } from "./table.ts"

const minuteMillis = 60_000

/** What a key opens, as whoever presents it carries it. */
const accessOf = ({ access, projectIds }: ApiKey): Pick<Principal, "access" | "projectIds"> => ({
  access,
  ...projectIds === undefined ? {} : { projectIds }
})

export const apiKeyStoreMemory = Layer.effect(
  ApiKeyStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const ownerOf = (hash: SecretHash, at: Timestamp): Principal & { readonly apiKeyId: ApiKeyId } | undefined => {
      const key = [...database.apiKeys.values()].find((row) => row.hash === hash)?.key
      if (key === undefined || key.revokedAt !== undefined) return undefined
      if (key.expiresAt !== undefined && DateTime.isLessThanOrEqualTo(key.expiresAt, at)) return undefined
      const { id, organizationId, userId } = key
      const member = owned(database.members.values(), organizationId).find((member) => member.userId === userId)
      return member && { organizationId, userId, role: member.role, ...accessOf(key), apiKeyId: id }
    }
    const keysOf = (organizationId: OrganizationId, { userId }: { readonly userId?: UserId }) =>
      owned([...database.apiKeys.values()].map(({ key }) => key), organizationId)
        .filter((key) => userId === undefined || key.userId === userId)
    return ApiKeyStore.of({
      create: (key, hash) => step(() => insert(database.apiKeys, key.id, { key, hash })),
      list: (organizationId, filter, page) => step(() => pageOf(keysOf(organizationId, filter), page)),
      find: (organizationId, filter, id) => step(() => keysOf(organizationId, filter).find((key) => key.id === id)),
      revoke: (organizationId, filter, idOrName, at) =>
        step(() => {
          const mine = keysOf(organizationId, filter)
          // Of several keys by one name, the newest that still opens something.
          const named = mine.filter((key) => key.name === idOrName).toSorted((left, right) => left.id < right.id ? 1 : -1)
          const key = mine.find(({ id }) => id === idOrName) ??
            named.find(({ revokedAt }) => revokedAt === undefined) ?? named[0]
          if (key === undefined || key.revokedAt !== undefined) return key
          const revoked = { ...key, revokedAt: at, updatedAt: at }
          database.apiKeys.set(key.id, { ...database.apiKeys.get(key.id)!, key: revoked })
          tellMcp(database, { credential: `api-key:${key.id}` }, { _tag: "Changed" })
          return revoked
        }),
      authenticate: (hash, limit, hits) =>
        step(({ at, millis }) => {
          const principal = ownerOf(hash, at)
          if (principal === undefined) return undefined
          const row = database.apiKeys.get(principal.apiKeyId)!
          if (row.key.lastUsedAt === undefined || millis - DateTime.toEpochMillis(row.key.lastUsedAt) >= minuteMillis) {
            database.apiKeys.set(principal.apiKeyId, { ...row, key: { ...row.key, lastUsedAt: at } })
          }
          const bucket = `api-key:${principal.apiKeyId}`
          const [window, usage] = hit(limit, database.windows.get(bucket), millis, hits)
          database.windows.set(bucket, window)
          return { principal, usage }
        }),
      identify: (hash) => step(({ at }) => ownerOf(hash, at))
    })
  })
)
