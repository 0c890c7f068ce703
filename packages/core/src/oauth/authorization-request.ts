import { Schema } from "effect"
import { SecretHash } from "../credential/secret.ts"
import { AuthorizationRequestId, OAuthClientId } from "../id.ts"
import { Timestamp } from "../timestamp.ts"

/** What a client asked for at the authorization endpoint, found good, and waiting for a person to decide. */
export const AuthorizationRequest = Schema.Struct({
  id: AuthorizationRequestId,
  clientId: OAuthClientId,
  redirectUri: Schema.String.annotate({ description: "As it was asked for: the code goes there and nowhere else" }),
  scope: Schema.Array(Schema.String),
  resource: Schema.String,
  codeChallenge: Schema.String,
  state: Schema.optionalKey(Schema.String),
  nonce: Schema.optionalKey(Schema.String),
  issuer: Schema.String.annotate({ description: "The base address that it came to, which the answer repeats (RFC 9207)" }),
  visit: SecretHash.annotate({ description: "The browser that it came from" }),
  authenticatedAfter: Schema.optionalKey(Timestamp).annotate({
    description: "Whoever decides must have signed in since, as the client asked by prompt=login or max_age"
  }),
  createdAt: Timestamp,
  expiresAt: Timestamp
})
export type AuthorizationRequest = typeof AuthorizationRequest.Type
