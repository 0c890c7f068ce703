import { Effect } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { hashSecret } from "../credential/secret.ts"
import { now } from "../timestamp.ts"
import { presentedClient } from "./client-authentication-policy.ts"
import { shownClientName } from "./client-name-policy.ts"
import { type ClientRequest, readForm } from "./exchange-token.ts"
import { findClient, identifyClient } from "./find-client.ts"
import { invalidRequest } from "./oauth-error.ts"
import type { OAuthParameters } from "./oauth-parameters.ts"
import { OAuthTokenStore } from "./oauth-token-store.ts"

/** Whose tokens the request may end: `undefined` for whoever holds one, "nobody" for a client that is not there any more. */
const revokingClient = Effect.fnUntraced(function*(authorization: string | undefined, parameters: OAuthParameters) {
  const presented = yield* Effect.fromResult(presentedClient(authorization, parameters))
  if (presented === undefined) return undefined
  // A client that was swept has no tokens either, and to revoke what is gone is no failure (RFC 7009 section 2.2).
  if (presented.method === "none" && (yield* findClient(presented.clientId)) === undefined) return "nobody" as const
  return (yield* identifyClient(authorization, parameters))?.id
})

/**
 * Ends a token (RFC 7009). What is no token of ours, or not of the client that asks, is answered as if it had ended. To hold a
 * token is enough to end it; a client that says who it is must prove that.
 */
export const revokeToken = Effect.fn("revokeToken")(function*({ authorization, form }: ClientRequest) {
  const parameters = yield* readForm(form)
  const token = parameters.values.get("token")
  if (token === undefined) return yield* invalidRequest("token is missing.")
  const clientId = yield* revokingClient(authorization, parameters)
  if (clientId === "nobody") return
  const [access, refresh] = [hashSecret("accessToken", token), hashSecret("refreshToken", token)]
  const hash = access ?? refresh
  if (hash === undefined) return
  const grant = yield* (yield* OAuthTokenStore).revoke(hash, clientId, yield* now)
  if (grant === undefined || refresh === undefined) return
  const name = shownClientName((yield* findClient(grant.clientId))?.client.name) ?? grant.clientId
  yield* audit(grant, "grant.revoked", { name, id: grant.id })
})
