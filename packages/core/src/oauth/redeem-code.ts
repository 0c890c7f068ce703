import { DateTime, Effect } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { hashSecret } from "../credential/secret.ts"
import type { Timestamp } from "../timestamp.ts"
import { type AuthorizationCode, AuthorizationCodeStore } from "./authorization-code-store.ts"
import { shownClientName } from "./client-name-policy.ts"
import { GrantStore } from "./grant-store.ts"
import { idTokenFor } from "./id-token.ts"
import { makeTokens } from "./issue-tokens.ts"
import type { OAuthClient } from "./oauth-client.ts"
import { invalidGrant, invalidRequest, OAuthError } from "./oauth-error.ts"
import { codeRepeatMillis, maxCodeMisses } from "./oauth-lifetimes.ts"
import type { OAuthParameters } from "./oauth-parameters.ts"
import { isCodeVerifier, verifierFits } from "./pkce-policy.ts"
import { resourceFor } from "./resource-policy.ts"

const worthless = () => invalidGrant("The code is unknown, used or expired. Start again at the authorization endpoint.")

/**
 * A code that comes again was seen by somebody else, and all that came of it ends (RFC 6749 section 4.1.2). Unless the
 * client itself repeats at once what it did, which only its verifier proves.
 */
const punishReplay = Effect.fnUntraced(function*(code: AuthorizationCode, client: OAuthClient, verifier: string, at: Timestamp) {
  const { codeChallenge, grant, redeemedAt } = code
  const lateFrom = DateTime.add(redeemedAt ?? at, { milliseconds: codeRepeatMillis })
  if (DateTime.isLessThan(at, lateFrom) && verifierFits(codeChallenge, verifier)) return
  const ended = yield* (yield* GrantStore).revoke(grant.organizationId, grant.id, undefined, at)
  if (ended === undefined) return
  yield* audit({ organizationId: grant.organizationId }, "grant.reuse_detected", { name: shownClientName(client.name) ?? client.id, id: grant.id })
})

/** authorization_code (RFC 6749 section 4.1.3, RFC 7636 section 4.6). What does not fit leaves the code as it is. */
export const redeemCode = Effect.fn("redeemCode")(function*(client: OAuthClient, { resources, values }: OAuthParameters) {
  const [presented, verifier, redirectUri] = [values.get("code"), values.get("code_verifier"), values.get("redirect_uri")]
  if (presented === undefined) return yield* invalidRequest("code is missing.")
  if (verifier === undefined || !isCodeVerifier(verifier)) {
    return yield* invalidRequest("code_verifier is missing, or not 43 to 128 unreserved characters.")
  }
  const codes = yield* AuthorizationCodeStore
  const hash = hashSecret("authorizationCode", presented)
  const found = hash === undefined ? undefined : yield* codes.find(hash)
  if (hash === undefined || found?.code.grant.clientId !== client.id) return yield* worthless()
  const { at, code } = found
  const { grant } = code
  if (code.redeemedAt !== undefined) {
    yield* punishReplay(code, client, verifier, at)
    return yield* worthless()
  }
  if (DateTime.isLessThanOrEqualTo(code.expiresAt, at) || code.misses >= maxCodeMisses) return yield* worthless()
  // OAuth 2.1 asks for it no more; a client that sends it must mean the same one.
  if ((redirectUri !== undefined && redirectUri !== grant.redirectUri) || !verifierFits(code.codeChallenge, verifier)) {
    yield* codes.miss(hash)
    return yield* invalidGrant("redirect_uri or code_verifier does not fit the code.")
  }
  if (resourceFor(resources, grant.resource) === undefined) {
    return yield* new OAuthError({ error: "invalid_target", description: "resource is not the one that was granted." })
  }
  const { answer, tokens } = yield* makeTokens(grant, grant.scope, at)
  const idToken = grant.scope.includes("openid") ? yield* idTokenFor(grant, answer.accessToken, { withNonce: true }) : undefined
  if (!(yield* codes.redeem(hash, tokens, maxCodeMisses))) return yield* worthless()
  return idToken === undefined ? answer : { ...answer, idToken }
})
