import { DateTime, Effect, Schema } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { hashSecret, issueSecret, type SecretHash } from "../credential/secret.ts"
import { Conflict, Forbidden, InvalidRequest, NotFound, notFound } from "../error.ts"
import { InvitationId, MemberId, newId, UserId } from "../id.ts"
import { MemberStore } from "../organization/member-store.ts"
import { OrganizationStore } from "../organization/organization-store.ts"
import type { Organization, Role, User } from "../organization/organization.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import { UserStore } from "../organization/user-store.ts"
import type { PageRequest } from "../page.ts"
import { now } from "../timestamp.ts"
import { InvitationStore } from "./invitation-store.ts"
import type { Invitation } from "./invitation.ts"
import { PasswordHasher } from "./password-hasher.ts"
import { normalizePassword, passwordFault } from "./password-policy.ts"
import { setPassword } from "./sign-in-usecases.ts"

/** How long the link of an invitation works. */
export const invitationDays = 7

const onlyAdmins = () => new Forbidden({ message: "Only an admin may invite people." })

const admin = Effect.fnUntraced(function*() {
  const principal = yield* CurrentPrincipal
  return principal.role === "member" ? yield* onlyAdmins() : principal
})

/** Stores an invitation, and answers the secret for its link. */
const issue = Effect.fnUntraced(function*(offer: Pick<Invitation, "organizationId" | "email" | "role" | "invitedBy">) {
  const at = yield* now
  const { hash, secret } = yield* issueSecret("invitation")
  const expiresAt = DateTime.add(at, { days: invitationDays })
  const invitation: Invitation = { id: yield* newId(InvitationId), ...offer, expiresAt, createdAt: at, updatedAt: at }
  yield* (yield* InvitationStore).create(invitation, hash)
  return { invitation, secret }
})

/** Invites somebody, who may be a user already, into the caller's organization. The secret is for the link, and answered here only. */
export const inviteMember = Effect.fn("inviteMember")(function*(input: {
  readonly email: string
  readonly role: Exclude<Role, "owner">
}) {
  const { organizationId, userId } = yield* admin()
  const email = input.email.toLowerCase()
  const user = yield* (yield* UserStore).byEmail(email)
  if (user !== undefined && (yield* (yield* MemberStore).find(organizationId, user.id)) !== undefined) {
    return yield* new Conflict({ message: `${email} is a member already.`, hint: "Invite another address." })
  }
  const issued = yield* issue({ organizationId, email, role: input.role, invitedBy: userId })
  yield* audit({ organizationId, userId }, "member.invited", { name: email, id: issued.invitation.id })
  return issued
})

/** The invitations of the caller's organization that nobody has accepted yet, newest first. */
export const listInvitations = Effect.fn("listInvitations")(function*(page: PageRequest) {
  const { organizationId } = yield* admin()
  return yield* (yield* InvitationStore).list(organizationId, yield* now, page)
})

const isInvitationId = Schema.is(InvitationId)

/** Takes an invitation back: its link is worth nothing from then on. */
export const revokeInvitation = Effect.fn("revokeInvitation")(function*(id: string) {
  const { organizationId, userId } = yield* admin()
  const invitation = isInvitationId(id) ? yield* (yield* InvitationStore).revoke(organizationId, id) : undefined
  if (invitation === undefined) return yield* notFound("invitation", id)
  yield* audit({ organizationId, userId }, "member.invitation_revoked", { name: invitation.email, id: invitation.id })
  return invitation
})

/**
 * A link by which a user who is a member already sets a password: what the operator gives to who has none, or forgot it.
 * It is an invitation that the user gave themselves, which no use case for admins makes; they could take over an account.
 */
export const issuePasswordLink = Effect.fn("issuePasswordLink")(function*(user: User) {
  const member = yield* (yield* MemberStore).find(user.activeOrganizationId, user.id)
  if (member === undefined) return yield* notFound("member", user.email)
  return yield* issue({ organizationId: member.organizationId, email: user.email, role: member.role, invitedBy: user.id })
})

/** What an open link is for: a new user's, a user's password, or a user who joins another organization. */
export interface OpenInvitation {
  readonly invitation: Invitation
  readonly hash: SecretHash
  readonly organization: Organization
  readonly purpose: "new-user" | "password" | "join"
  readonly user: User | undefined
}

const over = () =>
  new NotFound({
    message: "This link was used already, was taken back, or is older than it may be.",
    hint: "If you have a password, sign in. Otherwise ask whoever sent you the link for a new one."
  })

/** The invitation that a link's secret opens. */
export const openInvitation = Effect.fn("openInvitation")(function*(secret: string): Effect.fn.Return<
  OpenInvitation,
  NotFound,
  InvitationStore | OrganizationStore | UserStore
> {
  const hash = hashSecret("invitation", secret)
  const invitation = hash === undefined ? undefined : yield* (yield* InvitationStore).find(hash, yield* now)
  if (hash === undefined || invitation === undefined) return yield* over()
  const organizations = yield* (yield* OrganizationStore).organizations()
  const organization = organizations.find(({ id }) => id === invitation.organizationId)
  if (organization === undefined) return yield* over()
  const user = yield* (yield* UserStore).byEmail(invitation.email)
  const purpose = user === undefined ? "new-user" : invitation.invitedBy === user.id ? "password" : "join"
  return { invitation, hash, organization, purpose, user }
})

const memberOf = Effect.fnUntraced(function*({ invitation: { organizationId, role } }: OpenInvitation, user: User) {
  const at = yield* now
  return { id: yield* newId(MemberId), organizationId, userId: user.id, email: user.email, name: user.name, role, createdAt: at, updatedAt: at }
})

const joined = ({ invitation: { organizationId } }: OpenInvitation, { email, id: userId }: User) =>
  audit({ organizationId, userId }, "member.joined", { name: email, id: userId })

/** A new user joins, with a password unless another service vouches for them. */
export const joinAsNewUser = Effect.fn("joinAsNewUser")(function*(
  open: OpenInvitation,
  input: { readonly name: string; readonly password?: string }
) {
  const fault = input.password === undefined ? undefined : passwordFault(input.password)
  if (fault !== undefined) return yield* new InvalidRequest({ message: fault })
  const passwordHash = input.password === undefined
    ? undefined
    : yield* (yield* PasswordHasher).hash(normalizePassword(input.password))
  const at = yield* now
  const user: User = {
    id: yield* newId(UserId),
    email: open.invitation.email,
    name: input.name,
    activeOrganizationId: open.invitation.organizationId,
    createdAt: at,
    updatedAt: at
  }
  const newUser = { user, ...(passwordHash === undefined ? {} : { passwordHash }) }
  if (!(yield* (yield* InvitationStore).accept(open.hash, yield* memberOf(open, user), newUser, at))) return yield* over()
  yield* joined(open, user)
  return user
})

/** The user whom an invitation is for joins, and works there from then on. */
export const joinAsUser = Effect.fn("joinAsUser")(function*(open: OpenInvitation, user: User) {
  if (open.user?.id !== user.id) {
    return yield* new Forbidden({
      message: `This invitation is for ${open.invitation.email}, and you are signed in as ${user.email}.`,
      hint: "Sign out, then open the link again."
    })
  }
  const at = yield* now
  if (!(yield* (yield* InvitationStore).accept(open.hash, yield* memberOf(open, user), undefined, at))) return yield* over()
  yield* (yield* UserStore).setActiveOrganization(user.id, open.invitation.organizationId, at)
  yield* joined(open, user)
})

/** The user whom a password link is for sets a password. The link is used up first: of several who try, one does. */
export const usePasswordLink = Effect.fn("usePasswordLink")(function*({ invitation, purpose, user }: OpenInvitation, password: string) {
  const fault = passwordFault(password)
  if (fault !== undefined) return yield* new InvalidRequest({ message: fault })
  if (purpose !== "password" || user === undefined) return yield* over()
  const used = yield* (yield* InvitationStore).revoke(invitation.organizationId, invitation.id)
  if (used === undefined) return yield* over()
  yield* setPassword(user, password)
  return user
})
