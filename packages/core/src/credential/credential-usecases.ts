import { DateTime, Effect, Schema } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { Forbidden, InvalidRequest, notFound } from "../error.ts"
import { ApiKeyId, newId, type UserId } from "../id.ts"
import { MemberStore } from "../organization/member-store.ts"
import { type Access, CurrentPrincipal, maxProjectIds } from "../organization/principal.ts"
import { requireFullAccess } from "../organization/require-access.ts"
import { coversRole } from "../organization/role-policy.ts"
import type { PageRequest } from "../page.ts"
import { getProject } from "../project/project-usecases.ts"
import { now, type Timestamp } from "../timestamp.ts"
import { ApiKeyStore } from "./api-key-store.ts"
import type { ApiKey } from "./api-key.ts"
import { issueSecret } from "./secret.ts"

/** The projects that a key is to open, of those that whoever issues it has: all of these when none are named. */
const openedProjects = Effect.fnUntraced(function*(references: ReadonlyArray<string> | undefined) {
  const { projectIds: own } = yield* CurrentPrincipal
  if (references === undefined) return own
  if (references.length === 0 || references.length > maxProjectIds) {
    return yield* new InvalidRequest({
      message: `A key is for 1 to ${maxProjectIds} projects, or for all of them.`,
      hint: "Leave the projects out for a key that opens all of them."
    })
  }
  const ids = yield* Effect.forEach(references, Effect.fnUntraced(function*(reference) {
    const { id } = yield* getProject(reference)
    return own === undefined || own.includes(id) ? id : yield* notFound("project", reference)
  }))
  return [...new Set(ids)]
})

/** The member who is to have a key, who can do no more than whoever issues it. */
const holderOf = Effect.fnUntraced(function*(userId: UserId) {
  const principal = yield* CurrentPrincipal
  if (userId !== principal.userId && principal.role === "member") {
    return yield* new Forbidden({ message: "Only an admin may issue a key for somebody else." })
  }
  const member = yield* (yield* MemberStore).find(principal.organizationId, userId)
  if (member === undefined) return yield* notFound("member", userId)
  if (!coversRole(principal.role, member.role)) {
    return yield* new Forbidden({ message: "A key can do no more than whoever issues it.", hint: "Ask them to issue it themselves." })
  }
  return member
})

/** Issues an API key, for the caller or, by an admin, for another member. The secret is answered here and never again. */
export const createApiKey = Effect.fn("createApiKey")(function*(input: {
  readonly name: string
  readonly userId?: UserId
  /** Full when left out. */
  readonly access?: Access
  /** By id or name; all that the caller has when left out. */
  readonly projectIds?: ReadonlyArray<string>
  readonly expiresAt?: Timestamp
}) {
  yield* requireFullAccess
  const principal = yield* CurrentPrincipal
  const { userId } = yield* holderOf(input.userId ?? principal.userId)
  const at = yield* now
  if (input.expiresAt !== undefined && DateTime.isLessThanOrEqualTo(input.expiresAt, at)) {
    return yield* new InvalidRequest({ message: "The key would have expired already.", hint: "Choose a later time." })
  }
  const projectIds = yield* openedProjects(input.projectIds)
  const { hash, secret } = yield* issueSecret("apiKey")
  const key: ApiKey = {
    id: yield* newId(ApiKeyId),
    organizationId: principal.organizationId,
    userId,
    name: input.name,
    access: input.access ?? "full",
    ...(projectIds === undefined ? {} : { projectIds }),
    ...(input.expiresAt === undefined ? {} : { expiresAt: input.expiresAt }),
    createdAt: at,
    updatedAt: at
  }
  yield* (yield* ApiKeyStore).create(key, hash)
  yield* audit(principal, "api_key.created", key)
  return { key, secret }
})

/** Whose keys the caller has to do with: an admin with all, a member with their own. */
const whose = Effect.map(CurrentPrincipal, ({ role, userId }) => role === "member" ? { userId } : {})

/** The keys of the caller's organization to an admin, and to a member their own, newest first. */
export const listApiKeys = Effect.fn("listApiKeys")(function*(page: PageRequest) {
  const { organizationId } = yield* CurrentPrincipal
  return yield* (yield* ApiKeyStore).list(organizationId, yield* whose, page)
})

const isApiKeyId = Schema.is(ApiKeyId)

/** A key that the caller has to do with, by its id. */
export const getApiKey = Effect.fn("getApiKey")(function*(id: string) {
  const { organizationId } = yield* CurrentPrincipal
  const key = isApiKeyId(id) ? yield* (yield* ApiKeyStore).find(organizationId, yield* whose, id) : undefined
  return key ?? (yield* notFound("API key", id))
})

/** Ends a key, by id or name: the very next request with it is refused. A member ends their own, an admin any. */
export const revokeApiKey = Effect.fn("revokeApiKey")(function*(idOrName: string) {
  yield* requireFullAccess
  const principal = yield* CurrentPrincipal
  const at = yield* now
  const key = yield* (yield* ApiKeyStore).revoke(principal.organizationId, yield* whose, idOrName, at)
  if (key === undefined) return yield* notFound("API key", idOrName)
  if (key.revokedAt !== undefined && DateTime.Equivalence(key.revokedAt, at)) yield* audit(principal, "api_key.revoked", key)
  return key
})
