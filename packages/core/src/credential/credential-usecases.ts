import { DateTime, Effect } from "effect"
import { Forbidden, InvalidRequest, notFound } from "../error.ts"
import { ApiKeyId, newId, type UserId } from "../id.ts"
import type { PageRequest } from "../page.ts"
import { now, type Timestamp } from "../timestamp.ts"
import { ApiKeyStore } from "./api-key-store.ts"
import { OrganizationStore } from "../organization/organization-store.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import { generateSecret, hashSecret } from "./secret.ts"

/** Issues an API key, for the caller or, by an admin, for another member. The secret is answered here and never again. */
export const createApiKey = Effect.fn("createApiKey")(function*(input: {
  readonly name: string
  readonly userId?: UserId
  readonly expiresAt?: Timestamp
}) {
  const principal = yield* CurrentPrincipal
  const userId = input.userId ?? principal.userId
  if (userId !== principal.userId && principal.role === "member") {
    return yield* new Forbidden({ message: "Only an admin may issue a key for somebody else." })
  }
  if ((yield* (yield* OrganizationStore).member(principal.organizationId, userId)) === undefined) {
    return yield* notFound("member", userId)
  }
  const at = yield* now
  if (input.expiresAt !== undefined && DateTime.isLessThanOrEqualTo(input.expiresAt, at)) {
    return yield* new InvalidRequest({ message: "The key would have expired already.", hint: "Choose a later time." })
  }
  const secret = yield* generateSecret("apiKey")
  const hash = hashSecret("apiKey", secret)
  if (hash === undefined) return yield* Effect.die(new Error("A generated secret must be one of its kind"))
  const key = {
    id: yield* newId(ApiKeyId),
    organizationId: principal.organizationId,
    userId,
    name: input.name,
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
