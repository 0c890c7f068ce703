import { DateTime, Effect } from "effect"
import { Forbidden, InvalidRequest, notFound } from "../error.ts"
import { ApiKeyId, newId, type ProjectId, type UserId } from "../id.ts"
import type { PageRequest } from "../page.ts"
import { now, type Timestamp } from "../timestamp.ts"
import { ApiKeyStore } from "./api-key-store.ts"
import { MemberStore } from "../organization/member-store.ts"
import { type Access, CurrentPrincipal } from "../organization/principal.ts"
import { issueSecret } from "./secret.ts"

/** Issues an API key, for the caller or, by an admin, for another member. The secret is answered here and never again. */
export const createApiKey = Effect.fn("createApiKey")(function*(input: {
  readonly name: string
  readonly userId?: UserId
  /** Full when left out. */
  readonly access?: Access
  readonly projectIds?: ReadonlyArray<ProjectId>
  readonly expiresAt?: Timestamp
}) {
  const principal = yield* CurrentPrincipal
  const userId = input.userId ?? principal.userId
  if (userId !== principal.userId && principal.role === "member") {
    return yield* new Forbidden({ message: "Only an admin may issue a key for somebody else." })
  }
  if ((yield* (yield* MemberStore).find(principal.organizationId, userId)) === undefined) {
    return yield* notFound("member", userId)
  }
  const at = yield* now
  if (input.expiresAt !== undefined && DateTime.isLessThanOrEqualTo(input.expiresAt, at)) {
    return yield* new InvalidRequest({ message: "The key would have expired already.", hint: "Choose a later time." })
  }
  const { hash, secret } = yield* issueSecret("apiKey")
  const key = {
    id: yield* newId(ApiKeyId),
    organizationId: principal.organizationId,
    userId,
    name: input.name,
    access: input.access ?? "full" as const,
    ...(input.projectIds === undefined ? {} : { projectIds: input.projectIds }),
    ...(input.expiresAt === undefined ? {} : { expiresAt: input.expiresAt }),
    createdAt: at,
    updatedAt: at
  }
  yield* (yield* ApiKeyStore).create(key, hash)
  return { key, secret }
})

export const listApiKeys = Effect.fn("listApiKeys")(function*(page: PageRequest) {
  const { organizationId } = yield* CurrentPrincipal
  return yield* (yield* ApiKeyStore).list(organizationId, page)
})

/** Ends a key, by id or name: the very next request with it is refused. */
export const revokeApiKey = Effect.fn("revokeApiKey")(function*(idOrName: string) {
  const { organizationId } = yield* CurrentPrincipal
  const key = yield* (yield* ApiKeyStore).revoke(organizationId, idOrName, yield* now)
  return key ?? (yield* notFound("API key", idOrName))
})
