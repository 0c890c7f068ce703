import { hashSecret, type Limit, type Principal } from "@coppice/core"
import { ApiKeyStore, OAuthTokenStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { Refused } from "../errors/failure.ts"
import { bearerToken } from "./bearer.ts"
import type { Call } from "./call.ts"

const unauthorized = () =>
  new Refused({
    code: "UNAUTHORIZED",
    message: "The credential is missing, wrong, expired or revoked.",
    hint: "Send an access token or an API key as Authorization: Bearer <credential>."
  })

/** What was presented, and the store that knows its kind; `undefined` for what cannot be a credential here. */
const presented = Effect.fnUntraced(function*({ request }: Call) {
  const token = bearerToken(request.headers)
  if (token === undefined) return undefined
  const key = hashSecret("apiKey", token)
  if (key !== undefined) return { hash: key, store: yield* ApiKeyStore }
  const access = hashSecret("accessToken", token)
  return access === undefined ? undefined : { hash: access, store: yield* OAuthTokenStore }
})

/** An access token is for the service at the address for which it was granted, and at no other (RFC 8707 section 2). */
const isForHere = ({ grant }: Principal, { base }: Call): boolean => grant === undefined || grant.resource === base

/** Who is calling; that is counted nowhere. */
export const identify = Effect.fnUntraced(function*(call: Call) {
  const credential = yield* presented(call)
  const principal = credential === undefined ? undefined : yield* credential.store.identify(credential.hash)
  return principal !== undefined && isForHere(principal, call) ? principal : yield* unauthorized()
})

/** Who is calling, and how they stand against the limit: judged and counted, as `hits` requests, in one step of the store. */
export const authenticate = Effect.fnUntraced(function*(call: Call, limit: Limit, hits = 1) {
  const credential = yield* presented(call)
  const found = credential === undefined ? undefined : yield* credential.store.authenticate(credential.hash, limit, hits)
  if (found === undefined || !isForHere(found.principal, call)) return yield* unauthorized()
  if (found.usage.allowed) return found
  return yield* new Refused({
    code: "RATE_LIMITED",
    message: `More than ${limit.max} requests in ${limit.windowSeconds} seconds.`,
    hint: "Wait for as many seconds as Retry-After says.",
    usage: found.usage
  })
})
