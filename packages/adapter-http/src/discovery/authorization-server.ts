import { knownScopes } from "@coppice/core"
import { oauthPaths } from "../oauth/oauth-paths.ts"
import { documentPaths } from "./service-texts.ts"

const clientAuthMethods = ["none", "client_secret_basic", "client_secret_post"]

/**
 * How agents that look for it are told to get a credential, by version 0.1 of the agentic registration profile. Its
 * addresses are those of OAuth: to claim a credential is to have a person consent.
 */
const agentAuth = (base: string) => ({
  skill: base + documentPaths.authGuide,
  register_uri: base + oauthPaths.register,
  claim_uri: base + oauthPaths.authorize,
  revocation_uri: base + oauthPaths.revoke,
  identity_types_supported: ["anonymous"],
  anonymous: { credential_types_supported: ["access_token"] }
})

/** Metadata of the authorization server (RFC 8414) and of the OpenID provider (OpenID Connect Discovery section 3) in one. */
export const authorizationServer = (base: string) => ({
  issuer: base,
  authorization_endpoint: base + oauthPaths.authorize,
  token_endpoint: base + oauthPaths.token,
  registration_endpoint: base + oauthPaths.register,
  revocation_endpoint: base + oauthPaths.revoke,
  userinfo_endpoint: base + oauthPaths.userinfo,
  jwks_uri: base + oauthPaths.jwks,
  scopes_supported: knownScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
  token_endpoint_auth_methods_supported: clientAuthMethods,
  revocation_endpoint_auth_methods_supported: clientAuthMethods,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  claims_supported: ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "name", "email", "email_verified"],
  prompt_values_supported: ["none", "login", "consent"],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  client_id_metadata_document_supported: false,
  service_documentation: base + documentPaths.guide,
  agent_auth: agentAuth(base)
})
