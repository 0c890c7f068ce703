import type { Limit, Usage } from "@coppice/core"
import { CallerAddress } from "@coppice/core"
import { Clock, Effect } from "effect"
import { makeFailedCredentials } from "../pipeline/failed-credentials.ts"

/** How often what anybody may do, and what stores a row, may be done: from one address, and from everywhere together. */
export interface AddressLimits {
  readonly address: Limit
  readonly all: Limit
}

/**
 * Some services connect all of their users from a few addresses, and some hosts register at each connection, so that the
 * first has to be generous; the second is there for whoever has many addresses.
 */
export const registrationDefaults: AddressLimits = {
  address: { max: 120, windowSeconds: 60 },
  all: { max: 1200, windowSeconds: 60 }
}

/** An office behind one address is let through; what everybody together can have stored stays under 100,000 requests. */
export const authorizationDefaults: AddressLimits = {
  address: { max: 120, windowSeconds: 60 },
  all: { max: 6000, windowSeconds: 60 }
}

const maxAddresses = 10_000

/** Counts one more. The address comes first: one that is over its own limit uses up nobody else's. */
export const makeAddressLimit = ({ address, all }: AddressLimits) => {
  const ofAddress = makeFailedCredentials(address, maxAddresses)
  const ofAll = makeFailedCredentials(all, 1)
  return Effect.gen(function*() {
    const nowMillis = yield* Clock.currentTimeMillis
    const usage: Usage = ofAddress(yield* CallerAddress, nowMillis)
    return usage.allowed ? ofAll("all", nowMillis) : usage
  })
}
