import type { Effect } from "effect"
import { Context } from "effect"
import type { Conflict } from "../error.ts"
import type { OrganizationId, UserId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Member, Organization, User } from "./organization.ts"

/** Organizations, the people in them, and what each may do. */
export class OrganizationStore extends Context.Service<OrganizationStore, {
  /** Stores an organization with its first member in one step. Fails with `Conflict` while the e-mail is taken. */
  found(organization: Organization, user: User, owner: Member): Effect.Effect<void, Conflict>
  /** Stores a new user as a member of an organization in one step. Fails with `Conflict` while the e-mail is taken. */
  join(organizationId: OrganizationId, user: User, member: Member): Effect.Effect<void, Conflict>
  /** A user's membership, or `undefined` when there is none in that organization. */
  member(organizationId: OrganizationId, userId: UserId): Effect.Effect<Member | undefined>
  /** The members of an organization, newest first. */
  members(organizationId: OrganizationId, page: PageRequest): Effect.Effect<Page<Member>>
  /** The user with that e-mail, letter case aside, or `undefined`. */
  userByEmail(email: string): Effect.Effect<User | undefined>
  /** Every organization, oldest first: for what a composition does for each of them. */
  organizations(): Effect.Effect<ReadonlyArray<Organization>>
}>()("@coppice/core/organization/OrganizationStore") {}
