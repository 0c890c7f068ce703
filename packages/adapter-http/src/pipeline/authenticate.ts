import { hashSecret, type Limit } from "@coppice/core"
import { ApiKeyStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { Refused } from "../errors/failure.ts"
import { bearerToken } from "./bearer.ts"
import type { Call } from "./call.ts"

const unauthorized = () =>
  new Refused({
    code: "UNAUTHORIZED",
    message: "The credential is missing, wrong, expired or revoked.",
    hint: "Send an API key as Authorization: Bearer <key>."
  })

const presented = ({ request }: Call) => {
  const token = bearerToken(request.headers)
  return token === undefined ? undefined : hashSecret("apiKey", token)
}

/** Who is calling; that is counted nowhere. */
export const identify = Effect.fnUntraced(function*(call: Call) {
  const hash = presented(call)
  const principal = hash === undefined ? undefined : yield* (yield* ApiKeyStore).identify(hash)
  return principal ?? (yield* unauthorized())
})

/** Who is calling, and how they stand against the limit: judged and counted, as `hits` requests, in one step of the store. */
export const authenticate = Effect.fnUntraced(function*(call: Call, limit: Limit, hits = 1) {
  const hash = presented(call)
  const found = hash === undefined ? undefined : yield* (yield* ApiKeyStore).authenticate(hash, limit, hits)
  if (found === undefined) return yield* unauthorized()
  if (found.usage.allowed) return found
  return yield* new Refused({
    code: "RATE_LIMITED",
    message: `More than ${limit.max} requests in ${limit.windowSeconds} seconds.`,
    hint: "Wait for as many seconds as Retry-After says.",
    usage: found.usage
  })
})
