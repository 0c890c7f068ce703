import { Schema } from "effect"
import { OAuthClientId, OrganizationId, UserId } from "../id.ts"
import { recordTimes } from "../timestamp.ts"

/** The grants that the token endpoint knows (RFC 6749 sections 4.1.3, 4.4 and 6). */
export const GrantType = Schema.Literals(["authorization_code", "refresh_token", "client_credentials"])
export type GrantType = typeof GrantType.Type

/** How a client proves itself at the token endpoint (RFC 7591 section 2). */
export const ClientAuthMethod = Schema.Literals(["none", "client_secret_basic", "client_secret_post"])
export type ClientAuthMethod = typeof ClientAuthMethod.Type

/** A registered client. Whatever it says of itself is unverified. */
export const OAuthClient = Schema.Struct({
  id: OAuthClientId,
  name: Schema.optionalKey(Schema.String),
  redirectUris: Schema.Array(Schema.String),
  grantTypes: Schema.Array(GrantType),
  authMethod: ClientAuthMethod,
  scope: Schema.optionalKey(Schema.Array(Schema.String)).annotate({ description: "The most that it may ask for; every scope when left out" }),
  service: Schema.optionalKey(Schema.Struct({ organizationId: OrganizationId, userId: UserId })).annotate({
    description: "There for a client that an admin made: the organization, and the service member that it acts as"
  }),
  ...recordTimes
})
export type OAuthClient = typeof OAuthClient.Type
