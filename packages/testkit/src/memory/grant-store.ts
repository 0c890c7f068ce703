import {
  type AuthorizationRequestId,
  type Grant,
  type GrantId,
  isRecent,
  type OrganizationId,
  type SecretHash,
  type Timestamp,
  type UserId
} from "@coppice/core"
import { GrantStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { isLive, memberOf, revokeGrant } from "./grant-record.ts"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert, owned, pageOf } from "./table.ts"

export const grantStoreMemory = Layer.effect(
  GrantStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { authorizationCodes, authorizationRequests, grants, oauthClients } = database
    const undecided = (id: AuthorizationRequestId, visit: SecretHash, at: Timestamp) => {
      const row = authorizationRequests.get(id)
      return row?.request.visit === visit && DateTime.isGreaterThan(row.request.expiresAt, at) ? row : undefined
    }
    const named = (grant: Grant) => {
      const name = oauthClients.get(grant.clientId)?.client.name
      return name === undefined ? grant : { ...grant, clientName: name }
    }
    const isOf = (grant: Grant, userId: UserId | undefined) => userId === undefined || grant.userId === userId
    const theirs = (organizationId: OrganizationId, id: GrantId, userId: UserId | undefined, at: Timestamp) => {
      const grant = grants.get(id)
      return grant?.organizationId === organizationId && isLive(grant, at) && isOf(grant, userId) ? grant : undefined
    }
    return GrantStore.of({
      begin: (request) => step(() => insert(authorizationRequests, request.id, { request })),
      open: (id, visit, userId, authenticatedAt) =>
        step(({ at }) => {
          const row = undecided(id, visit, at)
          if (row === undefined || (row.userId ?? userId) !== userId) return undefined
          if (isRecent(authenticatedAt, row.request.authenticatedAfter)) authorizationRequests.set(id, { ...row, userId })
          return row.request
        }),
      decide: (id, visit, userId, approval) =>
        step(({ at }) => {
          const row = undecided(id, visit, at)
          if (row === undefined || row.userId !== userId) return false
          if (approval !== undefined && memberOf(database, approval.grant) === undefined) return false
          authorizationRequests.delete(id)
          if (approval === undefined) return true
          const { codeChallenge, codeExpiresAt, codeHash, grant } = approval
          insert(grants, grant.id, grant)
          insert(authorizationCodes, codeHash, { grantId: grant.id, codeChallenge, expiresAt: codeExpiresAt, misses: 0 })
          return true
        }),
      list: (organizationId, userId, page) =>
        step(({ at }) => {
          const theirs = owned(grants.values(), organizationId).filter((grant) => isLive(grant, at) && isOf(grant, userId))
          return pageOf(theirs.map(named), page)
        }),
      find: (organizationId, id, userId) =>
        step(({ at }) => {
          const grant = theirs(organizationId, id, userId, at)
          return grant && named(grant)
        }),
      revoke: (organizationId, id, userId, revokedAt) =>
        step(({ at }) => {
          const grant = theirs(organizationId, id, userId, at)
          return grant && named(revokeGrant(database, grant, revokedAt))
        })
    })
  })
)
