import { DateTime, Result } from "effect"
import type { Timestamp } from "../timestamp.ts"
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

export type AuthorizationTerms = Pick<AuthorizationRequest, "scope" | "resource" | "codeChallenge" | "nonce" | "authenticatedAfter">

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

/** Who is signed in must be, since when; `max_age` counts in seconds (OpenID Connect Core section 3.1.2.1). */
const lastSignIn = (words: ReadonlyArray<string>, maxAge: string | undefined, at: Timestamp): Timestamp | undefined => {
  if (words.includes("login")) return at
  return maxAge === undefined ? undefined : DateTime.subtract(at, { seconds: Math.min(Number(maxAge), DateTime.toEpochMillis(at) / 1000) })
}

export const isRecent = (authenticatedAt: Timestamp, authenticatedAfter: Timestamp | undefined): boolean =>
  authenticatedAfter === undefined || DateTime.isGreaterThanOrEqualTo(authenticatedAt, authenticatedAfter)

/** Every approval is asked for anew, so that `consent` changes nothing, and `none` can never be done. */
const judgePrompt = (
  { values }: OAuthParameters,
  authenticatedAt: Timestamp | undefined,
  at: Timestamp
): Result.Result<Pick<AuthorizationTerms, "authenticatedAfter">, AuthorizationError> => {
  const words = (values.get("prompt") ?? "").split(" ").filter((word) => word !== "")
  if (!words.every((word) => prompts.has(word))) return refuse("invalid_request", "prompt is none, login, consent or select_account.")
  const maxAge = values.get("max_age")
  if (maxAge !== undefined && !/^\d+$/.test(maxAge)) return refuse("invalid_request", "max_age is a number of seconds.")
  const authenticatedAfter = lastSignIn(words, maxAge, at)
  if (!words.includes("none")) return Result.succeed(authenticatedAfter === undefined ? {} : { authenticatedAfter })
  if (words.length > 1) return refuse("invalid_request", "prompt=none goes with nothing else.")
  return authenticatedAt !== undefined && isRecent(authenticatedAt, authenticatedAfter)
    ? refuse("consent_required", "Every grant needs a person's consent.")
    : refuse("login_required", "Nobody is signed in, or not since as late as max_age says.")
}

/** PKCE is required, by S256: without a method, `plain` would be meant (RFC 7636 section 4.3). */
const isGoodChallenge = (challenge: string | undefined, method: string | undefined): challenge is string =>
  challenge !== undefined && isCodeChallenge(challenge) && method === "S256"

/** What a request to the authorization endpoint asks for, once client and redirect URI are known to belong together. */
export const judgeAuthorization = (
  parameters: OAuthParameters,
  { at, authenticatedAt, base, client }: {
    readonly at: Timestamp
    /** When whoever is signed in in the browser did so. */
    readonly authenticatedAt: Timestamp | undefined
    readonly base: string
    readonly client: OAuthClient
  }
): Result.Result<AuthorizationTerms, AuthorizationError> => {
  const { repeated, resources, values } = parameters
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
  const nonce = values.get("nonce")
  return Result.map(judgePrompt(parameters, authenticatedAt, at), (freshness) => ({
    scope: scopeFor(client, values.get("scope")),
    resource,
    codeChallenge,
    ...freshness,
    ...nonce === undefined ? {} : { nonce }
  }))
}
