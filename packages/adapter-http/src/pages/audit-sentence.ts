import type { AuditAction } from "@coppice/core"

/** What was done, around what it was done to: "invited", "ann@example.com". */
interface Sentence {
  readonly before: string
  /** What it was done to goes without saying, because whoever did it did it to themselves. */
  readonly alone?: true
  readonly after?: string
}

export const auditSentences: Readonly<Record<AuditAction, Sentence>> = {
  "organization.founded": { before: "founded the organization" },
  "member.invited": { before: "invited" },
  "member.invitation_revoked": { before: "took back the invitation of" },
  "member.joined": { before: "joined the organization", alone: true },
  "member.role_changed": { before: "changed the role of" },
  "member.removed": { before: "removed", after: "from the organization" },
  "user.signed_in": { before: "signed in", alone: true },
  "user.sign_in_failed": { before: "failed to sign in as" },
  "user.signed_out": { before: "signed out", alone: true },
  "user.signed_out_everywhere": { before: "signed out in all browsers", alone: true },
  "user.password_changed": { before: "set a new password", alone: true },
  "api_key.created": { before: "created the API key" },
  "api_key.revoked": { before: "revoked the API key" },
  "grant.approved": { before: "allowed", after: "to act for them" },
  "grant.denied": { before: "did not allow", after: "to act for them" },
  "grant.revoked": { before: "revoked the connection of" },
  "grant.reuse_detected": { before: "ended the connection of", after: "because an old token of it was used again" },
  "service_client.created": { before: "created the service client" },
  "service_client.secret_rotated": { before: "gave a new secret to the service client" },
  "service_client.removed": { before: "removed the service client" },
  "automation.token_rotated": { before: "gave a new webhook token to the automation" }
}

/** Who did it, where nobody who is known did: somebody at the door, or the service, which guards itself. */
export const nobody = (action: AuditAction): string => action === "user.sign_in_failed" ? "Somebody" : "The service"
