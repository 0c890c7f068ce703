import { Schema } from "effect"
import { MemberId, OrganizationId, UserId } from "../id.ts"
import { Name } from "../text.ts"
import { recordTimes } from "../timestamp.ts"

/** The tenant. Nothing of one organization can be read from another. */
export const Organization = Schema.Struct({ id: OrganizationId, name: Name, ...recordTimes })
export type Organization = typeof Organization.Type

/** An address as people type it, stored in lower case: at most 254 characters (RFC 5321 section 4.5.3.1). */
export const Email = Schema.String.check(
  Schema.isMaxLength(254),
  Schema.isPattern(/^[^\s@<>"\u0000-\u001f]+@[^\s@<>"\u0000-\u001f]+$/, { expected: "an e-mail address" })
)

/** A person, in one organization or several. */
export const User = Schema.Struct({
  id: UserId,
  email: Email,
  name: Name,
  activeOrganizationId: OrganizationId,
  ...recordTimes
})
export type User = typeof User.Type

/** Members act on all work; admins also on members, hosts and service clients; the owner also on the organization. */
export const Role = Schema.Literals(["owner", "admin", "member"])
export type Role = typeof Role.Type

/** A user in an organization. */
export const Member = Schema.Struct({
  id: MemberId,
  organizationId: OrganizationId,
  userId: UserId,
  email: Email,
  name: Name,
  role: Role,
  ...recordTimes
})
export type Member = typeof Member.Type
