import { type Grant, hit, type OAuthClientId, type Principal, type SecretHash, type Timestamp } from "@coppice/core"
import { OAuthTokenStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { isLive, memberOf, renewedGrant, revokeGrant, storeTokens, usableGrant } from "./grant-record.ts"
import { type Database, MemoryDatabase, step, tellMcp } from "./memory-database.ts"
import { insert } from "./table.ts"

const hasCome = (end: Timestamp, at: Timestamp): boolean => DateTime.isLessThanOrEqualTo(end, at)

const bearerOf = (database: Database, hash: SecretHash, at: Timestamp) => {
  const token = database.accessTokens.get(hash)
  const grant = token && usableGrant(database, token.grantId, at)
  const member = grant && memberOf(database, grant)
  if (token === undefined || grant === undefined || member === undefined || hasCome(token.expiresAt, at)) return undefined
  const { clientId, id, organizationId, resource, userId } = grant
  const principal: Principal = { organizationId, userId, role: member.role, grant: { id, clientId, scope: token.scope, resource } }
  return { principal, grant }
}

export const oauthTokenStoreMemory = Layer.effect(
  OAuthTokenStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { accessTokens, grants, refreshTokens, windows } = database
    const refreshOf = (hash: SecretHash, at: Timestamp) => {
      const token = refreshTokens.get(hash)
      const grant = token && usableGrant(database, token.grantId, at)
      return token && grant && { token, grant }
    }
    const canEnd = (grant: Grant | undefined, clientId: OAuthClientId | undefined, at: Timestamp): grant is Grant =>
      grant !== undefined && isLive(grant, at) && (clientId === undefined || grant.clientId === clientId)
    return OAuthTokenStore.of({
      authenticate: (hash, limit, hits) =>
        step(({ at, millis }) => {
          const found = bearerOf(database, hash, at)
          if (found === undefined) return undefined
          const { grant, principal } = found
          const bucket = `grant:${grant.id}`
          const [window, usage] = hit(limit, windows.get(bucket), millis, hits)
          windows.set(bucket, window)
          const { lastUsedAt } = grant
          if (lastUsedAt === undefined || hasCome(DateTime.add(lastUsedAt, { minutes: 1 }), at)) {
            grants.set(grant.id, { ...grant, lastUsedAt: at })
          }
          return { principal, usage }
        }),
      identify: (hash) => step(({ at }) => bearerOf(database, hash, at)?.principal),
      issue: (grant, tokens) =>
        step(({ at }) => {
          if (memberOf(database, grant) === undefined) return
          const renewed = renewedGrant(database, grant)
          if (renewed === undefined) insert(grants, grant.id, grant)
          else grants.set(renewed.id, renewed)
          storeTokens(database, renewed ?? grant, tokens, at)
        }),
      findRefresh: (hash) =>
        step(({ at }) => {
          const found = refreshOf(hash, at)
          if (found === undefined) return undefined
          const { grantId: _, ...token } = found.token
          return { token: { ...token, grant: found.grant }, at }
        }),
      rotate: (hash, tokens, { graceMillis, maxReuses }) =>
        step(({ at }) => {
          const found = refreshOf(hash, at)
          if (found === undefined || hasCome(found.token.expiresAt, at)) return "refused"
          const { grant, token } = found
          const { reuses, rotatedAt } = token
          const isLate = rotatedAt !== undefined && hasCome(DateTime.add(rotatedAt, { milliseconds: graceMillis }), at)
          if (isLate || reuses >= maxReuses && rotatedAt !== undefined) {
            revokeGrant(database, grant, at)
            return "reused"
          }
          refreshTokens.set(hash, rotatedAt === undefined ? { ...token, rotatedAt: at } : { ...token, reuses: reuses + 1 })
          storeTokens(database, grant, tokens, at)
          return "rotated"
        }),
      revoke: (hash, clientId, revokedAt) =>
        step(({ at }) => {
          const access = accessTokens.get(hash)
          const token = access ?? refreshTokens.get(hash)
          const grant = token && grants.get(token.grantId)
          if (!canEnd(grant, clientId, at)) return undefined
          if (access === undefined) return revokeGrant(database, grant, revokedAt)
          if (hasCome(access.expiresAt, at)) return undefined
          accessTokens.delete(hash)
          tellMcp(database, { credential: `grant:${grant.id}` }, { _tag: "Changed" })
          return grant
        })
    })
  })
)
