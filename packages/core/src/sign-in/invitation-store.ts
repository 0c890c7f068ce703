import type { Effect } from "effect"
import { Context } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import type { Conflict } from "../error.ts"
import type { InvitationId, OrganizationId } from "../id.ts"
import type { Member, User } from "../organization/organization.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Invitation } from "./invitation.ts"

/** Invitations that nobody has accepted yet. */
export class InvitationStore extends Context.Service<InvitationStore, {
  /** Stores an invitation under the hash of its secret. One to the same address and organization, made before, is over. */
  create(invitation: Invitation, hash: SecretHash): Effect.Effect<void>
  /** The invitation by that secret, or `undefined` when it is unknown, accepted, revoked or expired at that time. */
  find(hash: SecretHash, at: Timestamp): Effect.Effect<Invitation | undefined>
  /** The invitations of an organization that can still be accepted at that time, newest first. */
  list(organizationId: OrganizationId, at: Timestamp, page: PageRequest): Effect.Effect<Page<Invitation>>
  /**
   * Uses an invitation up and stores the member, with the user and the hash of their password where that is a new one,
   * in one step. Answers whether it could be used: of several who accept at once, one does. Fails with `Conflict`, and
   * leaves the invitation, while the new user's e-mail is taken or when the user is a member already.
   */
  accept(
    hash: SecretHash,
    member: Member,
    newUser: { readonly user: User; readonly passwordHash?: string } | undefined,
    at: Timestamp
  ): Effect.Effect<boolean, Conflict>
  /** Takes an invitation back, and answers it; `undefined` when the organization has none with that id. */
  revoke(organizationId: OrganizationId, id: InvitationId): Effect.Effect<Invitation | undefined>
}>()("@coppice/core/sign-in/InvitationStore") {}
