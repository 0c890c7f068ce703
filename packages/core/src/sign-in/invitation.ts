import { Schema } from "effect"
import { InvitationId, OrganizationId, UserId } from "../id.ts"
import { Email, Role } from "../organization/organization.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

/** The offer to join an organization, for one e-mail address. The link that is sent holds its secret. */
export const Invitation = Schema.Struct({
  id: InvitationId,
  organizationId: OrganizationId,
  email: Email,
  role: Role,
  invitedBy: UserId,
  expiresAt: Timestamp,
  ...recordTimes
})
export type Invitation = typeof Invitation.Type
