import { Effect, Schema } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { Forbidden, notFound } from "../error.ts"
import { GrantId } from "../id.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import type { PageRequest } from "../page.ts"
import { now } from "../timestamp.ts"
import { shownClientName } from "./client-name-policy.ts"
import { GrantStore } from "./grant-store.ts"

/** What the caller allowed to clients and is still good; for an admin who asks, what everybody in the organization did. */
export const listGrants = Effect.fn("listGrants")(function*(page: PageRequest, options: { readonly everybodys?: boolean } = {}) {
  const { organizationId, role, userId } = yield* CurrentPrincipal
  if (options.everybodys === true && role === "member") {
    return yield* new Forbidden({ message: "Only an admin may see what others allowed." })
  }
  return yield* (yield* GrantStore).list(organizationId, options.everybodys === true ? undefined : userId, page)
})

const isGrantId = Schema.is(GrantId)

/** A grant that is still good: the caller's own, or anybody's for an admin. */
export const getGrant = Effect.fn("getGrant")(function*(id: string) {
  const { organizationId, role, userId } = yield* CurrentPrincipal
  const grant = isGrantId(id)
    ? yield* (yield* GrantStore).find(organizationId, id, role === "member" ? userId : undefined)
    : undefined
  return grant ?? (yield* notFound("connection", id))
})

/** Ends a grant, with all of its codes and tokens: the caller's own, or anybody's for an admin. */
export const revokeGrant = Effect.fn("revokeGrant")(function*(id: string) {
  const { organizationId, role, userId } = yield* CurrentPrincipal
  const grant = isGrantId(id)
    ? yield* (yield* GrantStore).revoke(organizationId, id, role === "member" ? userId : undefined, yield* now)
    : undefined
  if (grant === undefined) return yield* notFound("connection", id)
  yield* audit({ organizationId, userId }, "grant.revoked", { name: shownClientName(grant.clientName) ?? grant.clientId, id: grant.id })
  return grant
})
