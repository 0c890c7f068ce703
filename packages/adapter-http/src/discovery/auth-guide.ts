import { accessTokenSeconds, knownScopes } from "@coppice/core"
import { oauthPaths } from "../oauth/oauth-paths.ts"
import { documentPaths, serviceTexts } from "./service-texts.ts"

const block = (language: string, ...lines: ReadonlyArray<string>): ReadonlyArray<string> => ["```" + language, ...lines, "```", ""]

/** How an agent gets a credential, step by step: the skill that `agent_auth` names. */
export const authGuide = (base: string): string =>
  [
    "# auth.md",
    "",
    `How to get a credential for ${serviceTexts.title} at ${base}, for agents and for who writes them.`,
    "",
    "## Discover",
    "",
    `A request to \`${base}/mcp\` without a credential is answered 401, and \`WWW-Authenticate\` names`,
    `\`${base}${documentPaths.protectedResource}\`. The \`authorization_servers\` there lead to`,
    `\`${base}${documentPaths.authorizationServer}\`, which has every address below, and \`agent_auth\`.`,
    "",
    "## Pick a method",
    "",
    "- **OAuth**: where a person can open a browser once. Follow this page.",
    "- **API key**: where a person gives you one, made in the app under Keys (`/settings/keys`). Go on at *Use the credential*.",
    "- **Service client**: where an admin made one, with an id and a secret. POST `grant_type=client_credentials` to",
    `  \`${base}${oauthPaths.token}\` with HTTP Basic, and go on at *Use the credential*.`,
    "",
    "`identity_assertion` and id-jag are not supported: there is no way without a person, or without what a person made.",
    "",
    "## Register",
    "",
    "Anybody may. Nothing can be done with a registration until a person approves.",
    "",
    ...block(
      "sh",
      `curl -X POST ${base}${oauthPaths.register} -H 'Content-Type: application/json' -d '{`,
      "  \"client_name\": \"My agent\",",
      "  \"redirect_uris\": [\"http://127.0.0.1:8976/callback\"],",
      "  \"token_endpoint_auth_method\": \"none\"",
      "}'"
    ),
    "The answer, 201, has `client_id`. Keep it: one registration serves for good. On loopback any port will do later.",
    "",
    "## Claim",
    "",
    "Make a `code_verifier` of 43 to 128 unreserved characters, and send the person to this address, with",
    "`code_challenge` = base64url(SHA-256(code_verifier)) and a `state` of your own:",
    "",
    ...block(
      "text",
      `${base}${oauthPaths.authorize}?response_type=code&client_id=<client_id>&redirect_uri=<redirect_uri>`,
      `  &code_challenge=<code_challenge>&code_challenge_method=S256&state=<state>&scope=${knownScopes.join("%20")}`
    ),
    "The person signs in and approves. The browser comes back to `redirect_uri` with `code`, `state` and `iss`; check the last two.",
    "Within a minute:",
    "",
    ...block(
      "sh",
      `curl -X POST ${base}${oauthPaths.token} -d grant_type=authorization_code -d client_id=<client_id> \\`,
      "  -d code=<code> -d code_verifier=<code_verifier> --data-urlencode redirect_uri=<redirect_uri>"
    ),
    "## Use the credential",
    "",
    `Send \`Authorization: Bearer <access token or API key>\` with each request to \`${base}/mcp\`.`,
    `An access token is good for ${accessTokenSeconds} seconds. With the scope \`offline_access\` there is a \`refresh_token\`; it changes with`,
    "each use, so keep the newest:",
    "",
    ...block(
      "sh",
      `curl -X POST ${base}${oauthPaths.token} -d grant_type=refresh_token -d client_id=<client_id> -d refresh_token=<refresh_token>`
    ),
    "## Errors",
    "",
    "| answer | do |",
    "|---|---|",
    "| 401 from the service | refresh; if that fails, claim anew |",
    "| 400 `invalid_grant` | the code or the refresh token is over: claim anew |",
    "| 400 `invalid_client` | the registration is unknown: register anew |",
    "| 400 `invalid_request`, `invalid_scope`, `invalid_target` | correct the request; `error_description` says what |",
    "| 400 `INVALID_REDIRECT_URI`, `INVALID_CLIENT_METADATA` at registration | correct the metadata |",
    "| `access_denied` at the redirect URI | the person said no |",
    "| 429, 503 | wait for as many seconds as `Retry-After` says |",
    "",
    "## Revocation",
    "",
    `POST \`token=<access or refresh token>\` to \`${base}${oauthPaths.revoke}\`: 200, whatever it was. A refresh token takes`,
    "everything of its approval with it. People end what they approved in the app under Connections (`/settings/connections`).",
    ""
  ].join("\n")
