import { section } from "../requirement.ts"

export const registration = section("Client registration", {
  "registration.post": ["built", "POST /api/auth/oauth2/register takes a JSON client registration request, anonymously."],
  "registration.201": ["built", "A registration answers 201 with the registration response."],
  "registration.invalid-metadata-400": ["built", "Invalid client metadata answers 400 with the error envelope."],
  "registration.redirect-uris-required": ["built", "redirect_uris is a required array of URI strings."],
  "registration.client-name": ["built", "client_name is an optional string, in request and response."],
  "registration.grant-types": ["built", "grant_types is an optional array of authorization_code and refresh_token."],
  "registration.auth-method": [
    "built",
    "token_endpoint_auth_method is none, client_secret_basic or client_secret_post; public PKCE clients set none."
  ],
  "registration.scope": ["built", "scope is an optional space-separated string."],
  "registration.response-client-id": ["built", "The response always has client_id."],
  "registration.response-client-secret": ["built", "The response has client_secret for confidential clients."],
  "registration.response-redirect-uris": ["built", "The response repeats redirect_uris."],
  "registration.response-grant-types": ["built", "The response names grant_types."],
  "registration.response-auth-method": ["built", "The response names token_endpoint_auth_method."],
  "registration.anonymous-until-approved": ["built", "Registration is anonymous until the user approves it in the browser."]
})

export const authorization = section("Authorization", {
  "authorize.get-302": ["built", "GET /api/auth/oauth2/authorize answers 302 to the consent UI."],
  "authorize.redirects-with-code-and-state": ["built", "After consent it redirects to redirect_uri with code and state appended."],
  "authorize.response-type-code": ["built", "response_type is required and code."],
  "authorize.client-id": ["built", "client_id is required."],
  "authorize.redirect-uri": ["built", "redirect_uri is required, a URI."],
  "authorize.code-challenge": ["built", "code_challenge is required."],
  "authorize.code-challenge-method-s256": ["built", "code_challenge_method is required and S256."],
  "authorize.scope": ["built", "scope is optional and space-separated."],
  "authorize.state": ["built", "state is optional."]
})

export const token = section("Token", {
  "token.post-form": ["built", "POST /api/auth/oauth2/token takes application/x-www-form-urlencoded."],
  "token.200": ["built", "A token request answers 200 with the token response."],
  "token.grant-type-required": ["built", "grant_type is required: authorization_code, refresh_token or client_credentials."],
  "token.code-exchange": ["built", "authorization_code takes code, redirect_uri, client_id and code_verifier."],
  "token.code-verifier": ["built", "code_verifier is the PKCE verifier and is checked."],
  "token.refresh": ["built", "refresh_token takes refresh_token."],
  "token.client-credentials": ["built", "client_credentials is a grant type."],
  "token.access-token": ["built", "access_token is required in the response."],
  "token.type-bearer": ["built", "token_type is Bearer."],
  "token.expires-in-3600": ["built", "expires_in is the access token's lifetime, 3600 seconds."],
  "token.refresh-token-with-offline-access": ["built", "refresh_token is issued when scope includes offline_access."],
  "token.scope": ["built", "scope is an optional string in the response."],
  "token.id-token": ["built", "id_token is an optional string in the response."],
  "token.failure-400": ["built", "A failure answers 400 with the OAuth error envelope."],
  "token.invalid-grant": ["built", "invalid_grant: the refresh token is revoked or the code expired."],
  "token.invalid-client": ["built", "invalid_client: the registration is unknown."],
  "token.invalid-request": ["built", "invalid_request: the request is malformed."],
  "token.scoped-to-user-and-organization": ["built", "Tokens are scoped to the approving user and that user's active organization."],
  "token.access-token-on-mcp": ["built", "Authorization: Bearer <ACCESS_TOKEN> serves each MCP request."]
})

export const revocation = section("Revocation", {
  "revoke.post-form": ["built", "POST /api/auth/oauth2/revoke takes application/x-www-form-urlencoded."],
  "revoke.200-idempotent": ["built", "It answers 200, also for what is revoked already or unknown."],
  "revoke.token-required": ["built", "token is required: an access or a refresh token."],
  "revoke.token-type-hint": ["built", "token_type_hint is optional: access_token or refresh_token."],
  "revoke.client-id": ["built", "client_id is optional."],
  "revoke.401-on-next-request": ["built", "Revoked tokens fail with 401 on the next request."],
  "revoke.in-the-app": ["built", "Users can revoke agent access and API keys in the app."]
})

export const userinfo = section("Userinfo", {
  "userinfo.get-bearer": ["built", "GET /api/auth/oauth2/userinfo needs a Bearer credential and answers 200."],
  "userinfo.401": ["built", "Without a valid credential it answers 401 with the error envelope and WWW-Authenticate."],
  "userinfo.sub": ["built", "sub is a required string."],
  "userinfo.email": ["built", "email is an optional e-mail address."],
  "userinfo.email-verified": ["built", "email_verified is an optional boolean."],
  "userinfo.name": ["built", "name is an optional string."],
  "userinfo.picture": ["built", "picture is an optional URI."]
})

export const authentication = section("Authentication", {
  "auth.access-token": ["built", "A Bearer access token from OAuth 2.1 authenticates."],
  "auth.api-key": ["built", "A user-issued API key, sent as a Bearer token, authenticates."],
  "auth.api-key-revoked-401": ["built", "A revoked API key fails with 401 on the next request."],
  "auth.api-key-created-in-app": ["built", "API keys are created by a user in the app."],
  "auth.webhook-token": ["built", "A per-automation webhook token, sent as a Bearer token, authenticates the webhook endpoint."],
  "auth.webhook-token-in-app": ["built", "The webhook token is generated in the automation's trigger settings (Generate token)."],
  "auth.discovery-chain": [
    "built",
    "From a 401, resource_metadata leads to authorization_servers, and from there to agent_auth with its URIs."
  ],
  "auth.identity-assertion-unsupported": ["built", "identity_assertion and id-jag token types are unsupported."],
  "auth.scopes": ["built", "The scopes are openid, profile, email and offline_access."]
})
