import type { Effect } from "effect"
import { Context } from "effect"
import type { Conflict } from "../error.ts"
import type { UserId } from "../id.ts"
import type { Member, Organization, User } from "./organization.ts"

/** Organizations: the tenants. */
export class OrganizationStore extends Context.Service<OrganizationStore, {
  /**
   * Stores an organization with its first member in one step. Fails with `Conflict` while the e-mail is taken and, where
   * it is to be the `first`, once there is any organization: of several who try that at once, one succeeds.
   */
  found(
    organization: Organization,
    user: User,
    owner: Member,
    options?: { readonly first?: boolean }
  ): Effect.Effect<void, Conflict>
  /** Every organization, oldest first: for what a composition does for each of them. */
  organizations(): Effect.Effect<ReadonlyArray<Organization>>
  /** The organizations that a user is a member of, with that membership, oldest first. */
  ofUser(userId: UserId): Effect.Effect<ReadonlyArray<{ readonly organization: Organization; readonly member: Member }>>
}>()("@coppice/core/organization/OrganizationStore") {}
