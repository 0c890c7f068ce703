import { DateTime, Effect, Result } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import { InvalidRequest } from "../error.ts"
import { AuthorizationRequestId, newId } from "../id.ts"
import { now, type Timestamp } from "../timestamp.ts"
import { judgeAuthorization, untrustedRedirect } from "./authorization-policy.ts"
import { findClient } from "./find-client.ts"
import { GrantStore } from "./grant-store.ts"
import { authorizationRequestMillis } from "./oauth-lifetimes.ts"
import { parseParameters } from "./oauth-parameters.ts"
import { withParameters } from "./redirect-uri-policy.ts"

/** Where the browser goes from the authorization endpoint: to a person who decides, or back to the client with an error. */
export type AuthorizationStep =
  | { readonly _tag: "Decide"; readonly requestId: AuthorizationRequestId }
  | { readonly _tag: "Return"; readonly url: string }

const untrusted = (message: string): InvalidRequest =>
  new InvalidRequest({ message, hint: "Go back to the program that sent you here, and have it connect anew." })

/**
 * Judges a request to the authorization endpoint, and keeps it for the browser that it came from. It fails where there is no
 * trusted address to send an answer to, and the browser must go nowhere (RFC 6749 section 4.1.2.1).
 */
export const beginAuthorization = Effect.fn("beginAuthorization")(function*(input: {
  /** What follows the question mark, as it was sent. */
  readonly query: string
  readonly base: string
  readonly visit: SecretHash
  /** When whoever is signed in there did so. */
  readonly authenticatedAt: Timestamp | undefined
}) {
  const parameters = parseParameters(input.query)
  if (parameters === undefined) return yield* untrusted("The address cannot be read.")
  const { repeated, values } = parameters
  const clientId = values.get("client_id")
  const found = clientId === undefined || repeated.includes("client_id") ? undefined : yield* findClient(clientId)
  if (found === undefined) return yield* untrusted("No program is registered by this client_id.")
  const { client } = found
  const wrong = untrustedRedirect(parameters, client)
  if (wrong !== undefined) return yield* untrusted(wrong)

  const redirectUri = values.get("redirect_uri")!
  const state = repeated.includes("state") ? undefined : values.get("state")
  const at = yield* now
  const judged = judgeAuthorization(parameters, { at, authenticatedAt: input.authenticatedAt, base: input.base, client })
  if (Result.isFailure(judged)) {
    const { description, error } = judged.failure
    const url = withParameters(redirectUri, { error, error_description: description, state, iss: input.base })
    return { _tag: "Return", url } satisfies AuthorizationStep
  }
  const request = {
    id: yield* newId(AuthorizationRequestId),
    clientId: client.id,
    redirectUri,
    ...judged.success,
    ...state === undefined ? {} : { state },
    issuer: input.base,
    visit: input.visit,
    createdAt: at,
    expiresAt: DateTime.add(at, { milliseconds: authorizationRequestMillis })
  }
  yield* (yield* GrantStore).begin(request)
  return { _tag: "Decide", requestId: request.id } satisfies AuthorizationStep
})
