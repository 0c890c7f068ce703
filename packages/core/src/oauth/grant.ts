import { Schema } from "effect"
import { GrantId, OAuthClientId, OrganizationId, UserId } from "../id.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

/**
 * What a person allowed a client, once. All codes and tokens hang on it, and whoever ends it ends them all: it is what
 * RFC 9700 section 4.14.2 calls the family of a refresh token.
 */
export const Grant = Schema.Struct({
  id: GrantId,
  organizationId: OrganizationId,
  userId: UserId,
  clientId: OAuthClientId,
  redirectUri: Schema.optionalKey(Schema.String).annotate({ description: "Absent for client_credentials: a service client has one such grant, and renews it" }),
  scope: Schema.Array(Schema.String),
  resource: Schema.String,
  nonce: Schema.optionalKey(Schema.String),
  authenticatedAt: Schema.optionalKey(Timestamp).annotate({ description: "When the person had signed in" }),
  expiresAt: Timestamp.annotate({ description: "When nothing of it can be used or renewed any more" }),
  lastUsedAt: Schema.optionalKey(Timestamp).annotate({ description: "To the minute" }),
  revokedAt: Schema.optionalKey(Timestamp),
  ...recordTimes
})
export type Grant = typeof Grant.Type
