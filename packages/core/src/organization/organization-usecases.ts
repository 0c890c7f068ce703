import { Effect, Schema } from "effect"
import { CurrentPrincipal } from "./principal.ts"
import { notFound } from "../error.ts"
import { MemberId, newId, OrganizationId, UserId } from "../id.ts"
import type { PageRequest } from "../page.ts"
import { now } from "../timestamp.ts"
import { MemberStore } from "./member-store.ts"
import { OrganizationStore } from "./organization-store.ts"
import { UserStore } from "./user-store.ts"
import type { Role } from "./organization.ts"

/** The members of the caller's organization. */
export const listMembers = Effect.fn("listMembers")(function*(page: PageRequest) {
  const { organizationId } = yield* CurrentPrincipal
  return yield* (yield* MemberStore).list(organizationId, page)
})

/** Makes an organization and its owner. For whoever sets a service up: it asks for no principal. */
export const foundOrganization = Effect.fn("foundOrganization")(function*(input: {
  readonly organizationName: string
  readonly email: string
  readonly name: string
  /** Only while there is no organization at all. */
  readonly first?: boolean
}) {
  const at = yield* now
  const times = { createdAt: at, updatedAt: at }
  const organization = { id: yield* newId(OrganizationId), name: input.organizationName, ...times }
  const email = input.email.toLowerCase()
  const user = { id: yield* newId(UserId), email, name: input.name, activeOrganizationId: organization.id, ...times }
  const owner = {
    id: yield* newId(MemberId),
    organizationId: organization.id,
    userId: user.id,
    email,
    name: input.name,
    role: "owner" as const,
    ...times
  }
  yield* (yield* OrganizationStore).found(organization, user, owner, { first: input.first ?? false })
  return { organization, user, owner }
})

/** Adds a new user to the caller's organization. */
export const addMember = Effect.fn("addMember")(function*(input: {
  readonly email: string
  readonly name: string
  readonly role: Exclude<Role, "owner">
}) {
  const { organizationId } = yield* CurrentPrincipal
  const at = yield* now
  const times = { createdAt: at, updatedAt: at }
  const email = input.email.toLowerCase()
  const user = { id: yield* newId(UserId), email, name: input.name, activeOrganizationId: organizationId, ...times }
  const member = { id: yield* newId(MemberId), organizationId, userId: user.id, email, name: input.name, role: input.role, ...times }
  yield* (yield* MemberStore).add(organizationId, member, user)
  return { user, member }
})

const isUserId = Schema.is(UserId)

/** A member of the caller's organization, by their user id or their e-mail address. */
export const getMember = Effect.fn("getMember")(function*(userIdOrEmail: string) {
  const { organizationId } = yield* CurrentPrincipal
  const userId = isUserId(userIdOrEmail) ? userIdOrEmail : (yield* (yield* UserStore).byEmail(userIdOrEmail))?.id
  const member = userId === undefined ? undefined : yield* (yield* MemberStore).find(organizationId, userId)
  return member ?? (yield* notFound("member", userIdOrEmail))
})
