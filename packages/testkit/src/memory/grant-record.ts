import type { Grant, GrantId, NewTokens, OrganizationId, Timestamp, UserId } from "@coppice/core"
import { DateTime } from "effect"
import { type Database, tellMcp } from "./memory-database.ts"
import { insert, owned } from "./table.ts"

const earlier = (left: Timestamp, right: Timestamp): Timestamp => DateTime.isLessThan(left, right) ? left : right

const inMillis = (at: Timestamp, milliseconds: number): Timestamp => DateTime.add(at, { milliseconds })

export const memberOf = (database: Database, { organizationId, userId }: Pick<Grant, "organizationId" | "userId">) =>
  owned(database.members.values(), organizationId).find((member) => member.userId === userId)

/** Whether anything of it can still be used, so far as the grant itself says. */
export const isLive = ({ expiresAt, revokedAt }: Grant, at: Timestamp): boolean =>
  revokedAt === undefined && DateTime.isGreaterThan(expiresAt, at)

/** A live grant of somebody who is still a member. */
export const usableGrant = (database: Database, id: GrantId, at: Timestamp): Grant | undefined => {
  const grant = database.grants.get(id)
  return grant !== undefined && isLive(grant, at) && memberOf(database, grant) !== undefined ? grant : undefined
}

/** The grant that a service client has already, as it is once the same was granted anew. */
export const renewedGrant = ({ grants }: Database, grant: Grant): Grant | undefined => {
  const key = ({ clientId, resource, scope, userId }: Grant) => JSON.stringify([clientId, userId, resource, scope])
  const kept = owned(grants.values(), grant.organizationId).find((other) =>
    other.redirectUri === undefined && other.revokedAt === undefined && key(other) === key(grant))
  if (kept === undefined || grant.redirectUri !== undefined) return undefined
  return { ...kept, expiresAt: DateTime.max(kept.expiresAt, grant.expiresAt), updatedAt: grant.updatedAt }
}

/** Nothing of a grant outlasts it. */
export const storeTokens = (database: Database, grant: Grant, tokens: NewTokens, at: Timestamp): void => {
  const { accessHash, accessMillis, refresh, scope } = tokens
  const until = (millis: number) => earlier(inMillis(at, millis), grant.expiresAt)
  insert(database.accessTokens, accessHash, { grantId: grant.id, scope, expiresAt: until(accessMillis) })
  if (refresh === undefined) return
  insert(database.refreshTokens, refresh.hash, { grantId: grant.id, expiresAt: until(refresh.idleMillis), reuses: 0 })
}

/** Ends a grant, and with it all that hangs on it. */
export const revokeGrant = (database: Database, grant: Grant, at: Timestamp): Grant => {
  const revoked = { ...grant, revokedAt: at, updatedAt: at }
  database.grants.set(grant.id, revoked)
  tellMcp(database, { credential: `grant:${grant.id}` }, { _tag: "Changed" })
  return revoked
}

export const revokeGrantsOf = (database: Database, organizationId: OrganizationId, userId: UserId, at: Timestamp): void => {
  for (const grant of owned(database.grants.values(), organizationId)) {
    if (grant.userId === userId && grant.revokedAt === undefined) revokeGrant(database, grant, at)
  }
}
