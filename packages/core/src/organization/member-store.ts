import type { Effect } from "effect"
import { Context } from "effect"
import type { Conflict } from "../error.ts"
import type { OrganizationId, UserId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Member, Role, User } from "./organization.ts"

/** The people in an organization, and what each may do. */
export class MemberStore extends Context.Service<MemberStore, {
  /**
   * Stores a member, and with them the user where that is a new one, in one step. Fails with `Conflict` while the
   * e-mail is taken by another user, or when the user is a member already.
   */
  add(organizationId: OrganizationId, member: Member, newUser?: User): Effect.Effect<void, Conflict>
  /** A user's membership, or `undefined` when there is none in that organization. */
  find(organizationId: OrganizationId, userId: UserId): Effect.Effect<Member | undefined>
  /** The members of an organization, newest first. */
  list(organizationId: OrganizationId, page: PageRequest): Effect.Effect<Page<Member>>
  /** Gives a member another role. An owner stays one: `undefined`, as for who is no member. */
  setRole(
    organizationId: OrganizationId,
    userId: UserId,
    role: Exclude<Role, "owner">,
    at: Timestamp
  ): Effect.Effect<Member | undefined>
  /**
   * Ends a membership, and for good every API key and every grant that the user has in the organization, in one step;
   * those who listen to what depends on these are told. An owner stays. Answers whether a member was removed.
   */
  remove(organizationId: OrganizationId, userId: UserId, at: Timestamp): Effect.Effect<boolean>
}>()("@coppice/core/organization/MemberStore") {}
