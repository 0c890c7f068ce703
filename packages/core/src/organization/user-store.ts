import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganizationId, UserId } from "../id.ts"
import type { Timestamp } from "../timestamp.ts"
import type { User } from "./organization.ts"

/** People, whatever organizations they are in, and what they prove themselves with. */
export class UserStore extends Context.Service<UserStore, {
  find(id: UserId): Effect.Effect<User | undefined>
  /** The user with that e-mail, letter case aside, or `undefined`. */
  byEmail(email: string): Effect.Effect<User | undefined>
  /** Which organization the user works in now. Answers whether the user is a member of it; if not, nothing changes. */
  setActiveOrganization(id: UserId, organizationId: OrganizationId, at: Timestamp): Effect.Effect<boolean>
  /** Keeps the hash of a new password, in the form that the hasher answers (a PHC string), in place of the one before. */
  setPasswordHash(id: UserId, passwordHash: string, at: Timestamp): Effect.Effect<void>
  /** The hash of a user's password, or `undefined` for who has none. It is no part of the record, so that it is never shown by mistake. */
  passwordHash(id: UserId): Effect.Effect<string | undefined>
}>()("@coppice/core/organization/UserStore") {}
