import { DateTime, Effect } from "effect"
import { GrantId, newId } from "../id.ts"
import { now } from "../timestamp.ts"
import { makeTokens } from "./issue-tokens.ts"
import type { Grant } from "./grant.ts"
import type { OAuthClient } from "./oauth-client.ts"
import { OAuthError } from "./oauth-error.ts"
import { unrenewableGrantMillis } from "./oauth-lifetimes.ts"
import type { OAuthParameters } from "./oauth-parameters.ts"
import { OAuthTokenStore } from "./oauth-token-store.ts"
import { resourceFor } from "./resource-policy.ts"

/**
 * client_credentials (RFC 6749 section 4.4), for a client that an admin made. It acts as its own service member; there is
 * no person whose identity a scope could open, and it renews nothing, because it can ask again at any time.
 */
export const issueServiceToken = Effect.fn("issueServiceToken")(function*(
  client: OAuthClient,
  { resources }: OAuthParameters,
  base: string
) {
  if (client.service === undefined) {
    return yield* new OAuthError({ error: "unauthorized_client", description: "Only a service client that an admin made may do this." })
  }
  const resource = resourceFor(resources, base)
  if (resource === undefined) {
    return yield* new OAuthError({ error: "invalid_target", description: "resource names another service than this one." })
  }
  const at = yield* now
  const grant: Grant = {
    id: yield* newId(GrantId),
    ...client.service,
    clientId: client.id,
    scope: [],
    resource,
    expiresAt: DateTime.add(at, { milliseconds: unrenewableGrantMillis }),
    createdAt: at,
    updatedAt: at
  }
  const { answer, tokens } = yield* makeTokens(grant, grant.scope, at)
  yield* (yield* OAuthTokenStore).issue(grant, tokens)
  return answer
})
