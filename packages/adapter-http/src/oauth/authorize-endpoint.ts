import { beginAuthorization } from "@coppice/core"
import { Effect } from "effect"
import { Refused } from "../errors/failure.ts"
import { CurrentVisit } from "../pipeline/browser.ts"
import type { Call } from "../pipeline/call.ts"
import type { Reply } from "../reply.ts"
import { type AddressLimits, authorizationDefaults, makeAddressLimit } from "./address-limit.ts"
import { consentPath } from "./oauth-paths.ts"

/** What follows the question mark, untouched: how it is decoded is for whoever reads it. */
const queryOf = ({ url }: Request): string => {
  const start = url.indexOf("?")
  return start < 0 ? "" : url.slice(start + 1)
}

/** The address holds what is for one person, or for one client, alone. */
const found = (location: string): Reply => ({
  status: 302,
  body: null,
  headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" }
})

/** To nowhere: who floods is not sent on to a client, whose address nobody has looked at yet. */
const tooMany = (seconds: number) =>
  new Refused({
    code: "RATE_LIMITED",
    message: "Too many programs were sent here to ask for access.",
    hint: "Wait for a minute, then go back to the program that sent you here, and have it connect anew.",
    headers: { "retry-after": String(seconds) }
  })

/** GET of the authorization endpoint (RFC 6749 section 3.1): on to the person who decides, or back to the client. */
export const makeAuthorizeEndpoint = (limits: AddressLimits = authorizationDefaults) => {
  const count = makeAddressLimit(limits)
  return Effect.fnUntraced(function*({ base, request }: Call) {
    const { allowed, resetSeconds } = yield* count
    if (!allowed) return yield* tooMany(resetSeconds)
    const { hash, signedIn } = yield* CurrentVisit
    const authenticatedAt = signedIn?.session.authenticatedAt
    const step = yield* beginAuthorization({ query: queryOf(request), base, visit: hash, authenticatedAt })
    return found(step._tag === "Decide" ? base + consentPath(step.requestId) : step.url)
  })
}
