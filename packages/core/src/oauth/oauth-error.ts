import { Schema } from "effect"

/** What the token and revocation endpoints fail with (RFC 6749 section 5.2, RFC 8707 section 2). */
export const OAuthErrorCode = Schema.Literals([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target"
])
export type OAuthErrorCode = typeof OAuthErrorCode.Type

/** A refusal in the words of OAuth. Its description is ASCII without quotes, as that RFC asks for. */
export class OAuthError extends Schema.TaggedError<OAuthError>()("OAuthError", {
  error: OAuthErrorCode,
  description: Schema.String,
  basic: Schema.optionalKey(Schema.Boolean).annotate({ description: "The client tried to prove itself by HTTP Basic" })
}) {}

export const invalidRequest = (description: string): OAuthError => new OAuthError({ error: "invalid_request", description })

export const invalidGrant = (description: string): OAuthError => new OAuthError({ error: "invalid_grant", description })
