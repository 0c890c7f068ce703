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

/** Who is calling, and how they stand against the limit: judged and counted in one step of the store. */
export const authenticate = Effect.fnUntraced(function*({ request }: Call, limit: Limit) {
  const token = bearerToken(request.headers)
  const hash = token === undefined ? undefined : hashSecret("apiKey", token)
  if (hash === undefined) return yield* unauthorized()
  const store = yield* ApiKeyStore
  const found = yield* store.authenticate(hash, limit)
  if (found === undefined) return yield* unauthorized()
  if (found.usage.allowed) return found
  return yield* new Refused({
    code: "RATE_LIMITED",
    message: `More than ${limit.max} requests in ${limit.windowSeconds} seconds.`,
    hint: "Wait for as many seconds as Retry-After says.",
    usage: found.usage
  })
})
