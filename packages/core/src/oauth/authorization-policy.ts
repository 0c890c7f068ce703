import { Result } from "effect"
import type { AuthorizationRequest } from "./authorization-request.ts"
import type { OAuthClient } from "./oauth-client.ts"
import type { OAuthParameters } from "./oauth-parameters.ts"
import { isCodeChallenge } from "./pkce-policy.ts"
import { matchesRedirectUri } from "./redirect-uri-policy.ts"
import { resourceFor } from "./resource-policy.ts"
import { scopeFor } from "./scope-policy.ts"

/** What a client is told through the browser (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6, RFC 8707). */
export interface AuthorizationError {
  readonly error:
    | "invalid_request"
    | "unauthorized_client"
    | "access_denied"
    | "unsupported_response_type"
    | "invalid_target"
    | "login_required"
    | "consent_required"
    | "request_not_supported"
    | "request_uri_not_supported"
  readonly description: string
}

export type AuthorizationTerms = Pick<AuthorizationRequest, "scope" | "resource" | "codeChallenge" | "nonce">

/** What a browser is told, and nobody else: there is no address yet that could be trusted with an answer. */
export const untrustedRedirect = (parameters: OAuthParameters, client: OAuthClient): string | undefined => {
  if (parameters.repeated.includes("redirect_uri")) return "redirect_uri is there more than once."
  const redirectUri = parameters.values.get("redirect_uri")
  if (redirectUri === undefined) return "redirect_uri is missing."
  return client.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri))
    ? undefined
    : "redirect_uri is none that this client registered."
}

const refuse = (error: AuthorizationError["error"], description: string): Result.Result<never, AuthorizationError> =>
  Result.fail({ error, description })

const prompts = new Set(["none", "login", "consent", "select_account"])

/** Every approval is asked for anew, so that `consent` changes nothing, and `none` can never be done. */
const judgePrompt = (prompt: string, signedIn: boolean): Result.Result<never, AuthorizationError> | undefined => {
  const words = prompt.split(" ").filter((word) => word !== "")
  if (!words.every((word) => prompts.has(word))) return refuse("invalid_request", "prompt is none, login, consent or select_account.")
  if (!words.includes("none")) return undefined
  if (words.length > 1) return refuse("invalid_request", "prompt=none goes with nothing else.")
  return signedIn
    ? refuse("consent_required", "Every grant needs a person's consent.")
    : refuse("login_required", "Nobody is signed in.")
}

/** PKCE is required, by S256: without a method, `plain` would be meant (RFC 7636 section 4.3). */
const isGoodChallenge = (challenge: string | undefined, method: string | undefined): challenge is string =>
  challenge !== undefined && isCodeChallenge(challenge) && method === "S256"

/** What a request to the authorization endpoint asks for, once client and redirect URI are known to belong together. */
export const judgeAuthorization = (
  { repeated, resources, values }: OAuthParameters,
  { base, client, signedIn }: { readonly base: string; readonly client: OAuthClient; readonly signedIn: boolean }
): Result.Result<AuthorizationTerms, AuthorizationError> => {
  if (repeated.length > 0) return refuse("invalid_request", "A parameter is there more than once.")
  if (values.has("request")) return refuse("request_not_supported", "Request objects are not supported.")
  if (values.has("request_uri")) return refuse("request_uri_not_supported", "Request objects are not supported.")
  const responseType = values.get("response_type")
  if (responseType === undefined) return refuse("invalid_request", "response_type is missing.")
  if (responseType !== "code") return refuse("unsupported_response_type", "response_type can only be code.")
  if ((values.get("response_mode") ?? "query") !== "query") return refuse("invalid_request", "response_mode can only be query.")
  if (!client.grantTypes.includes("authorization_code")) return refuse("unauthorized_client", "The client gets no codes.")
  const codeChallenge = values.get("code_challenge")
  if (!isGoodChallenge(codeChallenge, values.get("code_challenge_method"))) {
    return refuse("invalid_request", "PKCE is required: code_challenge of 43 characters, and code_challenge_method=S256.")
  }
  const resource = resourceFor(resources, base)
  if (resource === undefined) return refuse("invalid_target", "resource names another service than this one.")
  const wrong = judgePrompt(values.get("prompt") ?? "", signedIn)
  if (wrong !== undefined) return wrong
  const nonce = values.get("nonce")
  const terms = { scope: scopeFor(client, values.get("scope")), resource, codeChallenge }
  return Result.succeed(nonce === undefined ? terms : { ...terms, nonce })
}
