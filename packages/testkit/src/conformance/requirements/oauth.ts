import { section } from "../requirement.ts"

export const registration = section("Client registration", {
  "registration.post": ["open", "POST /api/auth/oauth2/register takes a JSON client registration request, anonymously."],
  "registration.201": ["open", "A registration answers 201 with the registration response."],
  "registration.invalid-metadata-400": ["open", "Invalid client metadata answers 400 with the error envelope."],
  "registration.redirect-uris-required": ["open", "redirect_uris is a required array of URI strings."],
  "registration.client-name": ["open", "client_name is an optional string, in request and response."],
  "registration.grant-types": ["open", "grant_types is an optional array of authorization_code and refresh_token."],
  "registration.auth-method": [
    "open",
    "token_endpoint_auth_method is none, client_secret_basic or client_secret_post; public PKCE clients set none."
  ],
  "registration.scope": ["open", "scope is an optional space-separated string."],
  "registration.response-client-id": ["open", "The response always has client_id."],
  "registration.response-client-secret": ["open", "The response has client_secret for confidential clients."],
  "registration.response-redirect-uris": ["open", "The response repeats redirect_uris."],
  "registration.response-grant-types": ["open", "The response names grant_types."],
  "registration.response-auth-method": ["open", "The response names token_endpoint_auth_method."],
  "registration.anonymous-until-approved": ["open", "Registration is anonymous until the user approves it in the browser."]
})

export const authorization = section("Authorization", {
  "authorize.get-302": ["open", "GET /api/auth/oauth2/authorize answers 302 to the consent UI."],
  "authorize.redirects-with-code-and-state": ["open", "After consent it redirects to redirect_uri with code and state appended."],
  "authorize.response-type-code": ["open", "response_type is required and code."],
  "authorize.client-id": ["open", "client_id is required."],
  "authorize.redirect-uri": ["open", "redirect_uri is required, a URI."],
  "authorize.code-challenge": ["open", "code_challenge is required."],
  "authorize.code-challenge-method-s256": ["open", "code_challenge_method is required and S256."],
  "authorize.scope": ["open", "scope is optional and space-separated."],
  "authorize.state": ["open", "state is optional."]
})

export const token = section("Token", {
  "token.post-form": ["open", "POST /api/auth/oauth2/token takes application/x-www-form-urlencoded."],
  "token.200": ["open", "A token request answers 200 with the token response."],
  "token.grant-type-required": ["open", "grant_type is required: authorization_code, refresh_token or client_credentials."],
  "token.code-exchange": ["open", "authorization_code takes code, redirect_uri, client_id and code_verifier."],
  "token.code-verifier": ["open", "code_verifier is the PKCE verifier and is checked."],
  "token.refresh": ["open", "refresh_token takes refresh_token."],
  "token.client-credentials": ["open", "client_credentials is a grant type."],
  "token.access-token": ["open", "access_token is required in the response."],
  "token.type-bearer": ["open", "token_type is Bearer."],
  "token.expires-in-3600": ["open", "expires_in is the access token's lifetime, 3600 seconds."],
  "token.refresh-token-with-offline-access": ["open", "refresh_token is issued when scope includes offline_access."],
  "token.scope": ["open", "scope is an optional string in the response."],
  "token.id-token": ["open", "id_token is an optional string in the response."],
  "token.failure-400": ["open", "A failure answers 400 with the OAuth error envelope."],
  "token.invalid-grant": ["open", "invalid_grant: the refresh token is revoked or the code expired."],
  "token.invalid-client": ["open", "invalid_client: the registration is unknown."],
  "token.invalid-request": ["open", "invalid_request: the request is malformed."],
  "token.scoped-to-user-and-organization": ["open", "Tokens are scoped to the approving user and that user's active organization."],
  "token.access-token-on-mcp": ["open", "Authorization: Bearer <ACCESS_TOKEN> serves each MCP request."]
})

export const revocation = section("Revocation", {
  "revoke.post-form": ["open", "POST /api/auth/oauth2/revoke takes application/x-www-form-urlencoded."],
  "revoke.200-idempotent": ["open", "It answers 200, also for what is revoked already or unknown."],
  "revoke.token-required": ["open", "token is required: an access or a refresh token."],
  "revoke.token-type-hint": ["open", "token_type_hint is optional: access_token or refresh_token."],
  "revoke.client-id": ["open", "client_id is optional."],
  "revoke.401-on-next-request": ["open", "Revoked tokens fail with 401 on the next request."],
  "revoke.in-the-app": ["open", "Users can revoke agent access and API keys in the app."]
})

export const userinfo = section("Userinfo", {
  "userinfo.get-bearer": ["open", "GET /api/auth/oauth2/userinfo needs a Bearer credential and answers 200."],
  "userinfo.401": ["open", "Without a valid credential it answers 401 with the error envelope and WWW-Authenticate."],
  "userinfo.sub": ["open", "sub is a required string."],
  "userinfo.email": ["open", "email is an optional e-mail address."],
  "userinfo.email-verified": ["open", "email_verified is an optional boolean."],
  "userinfo.name": ["open", "name is an optional string."],
  "userinfo.picture": ["open", "picture is an optional URI."]
})

export const authentication = section("Authentication", {
  "auth.access-token": ["open", "A Bearer access token from OAuth 2.1 authenticates."],
  "auth.api-key": ["built", "A user-issued API key, sent as a Bearer token, authenticates."],
  "auth.api-key-revoked-401": ["built", "A revoked API key fails with 401 on the next request."],
  "auth.api-key-created-in-app": ["open", "API keys are created by a user in the app."],
  "auth.webhook-token": ["built", "A per-automation webhook token, sent as a Bearer token, authenticates the webhook endpoint."],
  "auth.webhook-token-in-app": ["open", "The webhook token is generated in the automation's trigger settings (Generate token)."],
  "auth.discovery-chain": [
    "open",
    "From a 401, resource_metadata leads to authorization_servers, and from there to agent_auth with its URIs."
  ],
  "auth.identity-assertion-unsupported": ["open", "identity_assertion and id-jag token types are unsupported."],
  "auth.scopes": ["open", "The scopes are openid, profile, email and offline_access."]
})
