import type {
  AuditLog,
  AuthorizationCodeStore,
  GrantStore,
  MemberStore,
  OAuthClientStore,
  OAuthTokenStore,
  SigningKeyStore,
  UserStore
} from "@coppice/core/ports"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { defineEndpoint, type Endpoint } from "../endpoint.ts"
import type { ServiceOptions } from "../service-options.ts"
import { makeAuthorizeEndpoint } from "./authorize-endpoint.ts"
import { jwksEndpoint, userinfoEndpoint } from "./identity-endpoints.ts"
import { authorizeDocs, jwksDocs, registerDocs, revokeDocs, tokenDocs, userinfoDocs } from "./oauth-docs.ts"
import { oauthPaths } from "./oauth-paths.ts"
import { makeRegisterEndpoint, maxRegistrationBytes } from "./register-endpoint.ts"
import { makeRevokeEndpoint, makeTokenEndpoint } from "./token-endpoint.ts"

/** The ports that the authorization server needs. */
export type OAuthPorts =
  | AuditLog
  | AuthorizationCodeStore
  | GrantStore
  | MemberStore
  | OAuthClientStore
  | OAuthTokenStore
  | SecureRandom
  | SigningKeyStore
  | UserStore

/** The authorization server. Only the page to which people come by is closed to pages of other sites. */
export const oauthEndpoints = <R>(service: ServiceOptions<R>): ReadonlyArray<Endpoint<OAuthPorts>> => {
  const define = defineEndpoint<OAuthPorts>
  return [
    define({
      id: "oauth-register",
      method: "POST",
      paths: [oauthPaths.register],
      security: "public",
      cors: "open",
      docs: registerDocs,
      maxBodyBytes: maxRegistrationBytes,
      handle: makeRegisterEndpoint(service.registrations)
    }),
    define({
      id: "oauth-authorize",
      method: "GET",
      paths: [oauthPaths.authorize],
      security: "visitor",
      summary: "Ask a person for access",
      docs: authorizeDocs,
      handle: makeAuthorizeEndpoint(service.authorizations)
    }),
    define({
      id: "oauth-token",
      method: "POST",
      paths: [oauthPaths.token],
      security: "public",
      cors: "open",
      docs: tokenDocs,
      handle: makeTokenEndpoint(service)
    }),
    define({
      id: "oauth-revoke",
      method: "POST",
      paths: [oauthPaths.revoke],
      security: "public",
      cors: "open",
      docs: revokeDocs,
      handle: makeRevokeEndpoint(service)
    }),
    define({
      id: "oauth-userinfo",
      method: "GET",
      paths: [oauthPaths.userinfo],
      security: "bearer",
      cors: "open",
      docs: userinfoDocs,
      handle: userinfoEndpoint
    }),
    define({
      id: "oauth-jwks",
      method: "GET",
      paths: [oauthPaths.jwks],
      security: "public",
      cors: "open",
      docs: jwksDocs,
      handle: jwksEndpoint
    })
  ]
}
