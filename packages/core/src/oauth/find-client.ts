import { Effect, Schema } from "effect"
import { OAuthClientId } from "../id.ts"
import { invalidClient, judgeClient, presentedClient } from "./client-authentication-policy.ts"
import { OAuthClientStore } from "./oauth-client-store.ts"
import type { OAuthParameters } from "./oauth-parameters.ts"

const isClientId = Schema.is(OAuthClientId)

/** A client by what somebody says is its id, with the hash of its secret. */
export const findClient = Effect.fn("findClient")(function*(id: string) {
  return isClientId(id) ? yield* (yield* OAuthClientStore).find(id) : undefined
})

/** The client that makes a request of its own, proved as it registered to; `undefined` when it does not say which it is. */
export const identifyClient = Effect.fn("identifyClient")(function*(authorization: string | undefined, parameters: OAuthParameters) {
  const presented = yield* Effect.fromResult(presentedClient(authorization, parameters))
  if (presented === undefined) return undefined
  return yield* Effect.fromResult(judgeClient(yield* findClient(presented.clientId), presented))
})

/** The same where a client has to say it. */
export const authenticateClient = Effect.fn("authenticateClient")(function*(
  authorization: string | undefined,
  parameters: OAuthParameters
) {
  return (yield* identifyClient(authorization, parameters)) ?? (yield* invalidClient("client_id is missing."))
})
