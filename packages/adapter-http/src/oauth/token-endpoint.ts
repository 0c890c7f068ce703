import { exchangeToken, revokeToken, type TokenAnswer } from "@coppice/core"
import { IdTokenSigner } from "@coppice/core/ports"
import { Effect } from "effect"
import { noStore, orOAuthError } from "../errors/oauth-error.ts"
import type { Call } from "../pipeline/call.ts"
import { json } from "../reply.ts"
import type { ServiceOptions } from "../service-options.ts"
import { readClientRequest } from "./client-request.ts"
import { idTokenSigner } from "./id-token-signer.ts"

/** RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3. */
const describe = ({ accessToken, expiresInSeconds, idToken, refreshToken, scope }: TokenAnswer) => ({
  access_token: accessToken,
  token_type: "Bearer",
  expires_in: expiresInSeconds,
  ...refreshToken === undefined ? {} : { refresh_token: refreshToken },
  ...scope.length === 0 ? {} : { scope: scope.join(" ") },
  ...idToken === undefined ? {} : { id_token: idToken }
})

/** POST of the token endpoint (RFC 6749 section 3.2). */
export const makeTokenEndpoint = <R>({ isOutage }: ServiceOptions<R>) => (call: Call) =>
  Effect.gen(function*() {
    const request = yield* readClientRequest(call)
    const answer = yield* exchangeToken({ ...request, base: call.base })
    return json(200, describe(answer), noStore)
  }).pipe(
    Effect.provideService(IdTokenSigner, idTokenSigner),
    (exchange) => orOAuthError(exchange, isOutage)
  )

/** POST of the revocation endpoint (RFC 7009). */
export const makeRevokeEndpoint = <R>({ isOutage }: ServiceOptions<R>) => (call: Call) =>
  orOAuthError(
    Effect.gen(function*() {
      yield* revokeToken(yield* readClientRequest(call))
      return json(200, {}, noStore)
    }),
    isOutage
  )
