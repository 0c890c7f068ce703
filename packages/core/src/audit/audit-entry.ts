import { Context, Schema } from "effect"
import { AuditEntryId, OrganizationId, UserId } from "../id.ts"
import { Timestamp } from "../timestamp.ts"

/** What can be done to who may do what: the closed list of what is kept in the log. */
export const AuditAction = Schema.Literals([
  "organization.founded",
  "member.invited",
  "member.invitation_revoked",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "user.signed_in",
  "user.sign_in_failed",
  "user.signed_out",
  "user.signed_out_everywhere",
  "user.password_changed",
  "api_key.created",
  "api_key.revoked",
  "grant.approved",
  "grant.denied",
  "grant.revoked",
  "grant.reuse_detected",
  "service_client.created",
  "service_client.secret_rotated",
  "service_client.removed",
  "automation.token_rotated"
])
export type AuditAction = typeof AuditAction.Type

/** One line of the log of an organization. It names what was acted on by its id and by what people know it as, and holds no secret. */
export const AuditEntry = Schema.Struct({
  id: AuditEntryId,
  organizationId: OrganizationId,
  action: AuditAction,
  actorId: Schema.optionalKey(UserId).annotate({ description: "Who did it; nobody, when the service itself did" }),
  subject: Schema.String.annotate({ description: "What it was done to, as people know it: a name, an address" }),
  subjectId: Schema.optionalKey(Schema.String),
  address: Schema.String.annotate({ description: "From where: a network address, or \"this machine\"" }),
  at: Timestamp
})
export type AuditEntry = typeof AuditEntry.Type

/** From where the present call came, as the audit log has it. */
export const CallerAddress = Context.Reference<string>("@coppice/core/audit/CallerAddress", { defaultValue: () => "this machine" })
