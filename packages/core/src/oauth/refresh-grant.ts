import { Effect } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { hashSecret } from "../credential/secret.ts"
import { shownClientName } from "./client-name-policy.ts"
import { idTokenFor } from "./id-token.ts"
import { makeTokens } from "./issue-tokens.ts"
import type { OAuthClient } from "./oauth-client.ts"
import { invalidGrant, invalidRequest, OAuthError } from "./oauth-error.ts"
import { reuseGrace } from "./oauth-lifetimes.ts"
import type { OAuthParameters } from "./oauth-parameters.ts"
import { OAuthTokenStore } from "./oauth-token-store.ts"
import { resourceFor } from "./resource-policy.ts"
import { narrowedScope } from "./scope-policy.ts"

const worthless = () => invalidGrant("The refresh token is unknown, revoked or expired. Start again at the authorization endpoint.")

/** refresh_token (RFC 6749 section 6), rotating (RFC 9700 section 4.14.2). All is judged before the token is used. */
export const refreshGrant = Effect.fn("refreshGrant")(function*(client: OAuthClient, { resources, values }: OAuthParameters) {
  const presented = values.get("refresh_token")
  if (presented === undefined) return yield* invalidRequest("refresh_token is missing.")
  const store = yield* OAuthTokenStore
  const hash = hashSecret("refreshToken", presented)
  const found = hash === undefined ? undefined : yield* store.findRefresh(hash)
  if (hash === undefined || found?.token.grant.clientId !== client.id) return yield* worthless()
  const { at, token: { grant } } = found
  const scope = narrowedScope(grant.scope, values.get("scope"))
  if (scope === undefined) {
    return yield* new OAuthError({ error: "invalid_scope", description: "scope is more than was granted." })
  }
  if (resourceFor(resources, grant.resource) === undefined) {
    return yield* new OAuthError({ error: "invalid_target", description: "resource is not the one that was granted." })
  }
  const { answer, tokens } = yield* makeTokens(grant, scope, at)
  const idToken = scope.includes("openid") ? yield* idTokenFor(grant, answer.accessToken, { withNonce: false }) : undefined
  const rotation = yield* store.rotate(hash, tokens, reuseGrace)
  if (rotation === "reused") {
    yield* audit({ organizationId: grant.organizationId }, "grant.reuse_detected", { name: shownClientName(client.name) ?? client.id, id: grant.id })
  }
  if (rotation !== "rotated") return yield* worthless()
  return idToken === undefined ? answer : { ...answer, idToken }
})
