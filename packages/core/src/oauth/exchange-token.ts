import { Effect, Schema } from "effect"
import { authenticateClient } from "./find-client.ts"
import { issueServiceToken } from "./issue-service-token.ts"
import { GrantType } from "./oauth-client.ts"
import { invalidRequest, OAuthError } from "./oauth-error.ts"
import { parseParameters } from "./oauth-parameters.ts"
import { redeemCode } from "./redeem-code.ts"
import { refreshGrant } from "./refresh-grant.ts"

/** A request that a client makes by itself: the form that it sent, and its Authorization field. */
export interface ClientRequest {
  readonly form: string
  readonly authorization: string | undefined
}

/** The parameters of such a request, each there once at the most. */
export const readForm = Effect.fnUntraced(function*(form: string) {
  const parameters = parseParameters(form)
  if (parameters === undefined) return yield* invalidRequest("The body is no form of a few parameters in UTF-8.")
  if (parameters.repeated.length > 0) return yield* invalidRequest("A parameter is there more than once.")
  return parameters
})

const isGrantType = Schema.is(GrantType)

/** The token endpoint (RFC 6749 section 3.2). */
export const exchangeToken = Effect.fn("exchangeToken")(function*({ authorization, base, form }: ClientRequest & { readonly base: string }) {
  const parameters = yield* readForm(form)
  const grantType = parameters.values.get("grant_type")
  if (grantType === undefined) return yield* invalidRequest("grant_type is missing.")
  if (!isGrantType(grantType)) {
    return yield* new OAuthError({ error: "unsupported_grant_type", description: `grant_type is one of ${GrantType.literals.join(", ")}.` })
  }
  const client = yield* authenticateClient(authorization, parameters)
  if (!client.grantTypes.includes(grantType)) {
    return yield* new OAuthError({ error: "unauthorized_client", description: `The client is not registered for ${grantType}.` })
  }
  switch (grantType) {
    case "authorization_code":
      return yield* redeemCode(client, parameters)
    case "refresh_token":
      return yield* refreshGrant(client, parameters)
    case "client_credentials":
      return yield* issueServiceToken(client, parameters, base)
  }
})
