import { hashSecret, type Limit, type SecretKind, secretPrefixes } from "@coppice/core"
import { Clock, Effect } from "effect"
import { documentPaths } from "../discovery/service-texts.ts"
import { failureReply } from "../errors/error-envelope.ts"
import type { Failure } from "../errors/failure.ts"
import type { Reply } from "../reply.ts"
import { bearerToken } from "./bearer.ts"
import type { Call } from "./call.ts"
import { clientAddress, proxyList } from "./client-address.ts"
import { makeFailedCredentials } from "./failed-credentials.ts"

export interface ChallengeOptions {
  readonly trustedProxies: ReadonlyArray<string>
  readonly failedCredentials: Limit
}

/** How many addresses' failures are remembered at once; some 200 bytes each. */
const maxAddresses = 10_000

const kinds = Object.keys(secretPrefixes) as ReadonlyArray<SecretKind>

/** Whether this could be a credential of ours: expired, revoked or misplaced perhaps, but no guess and no typo. */
const isWellFormed = (token: string | undefined): boolean =>
  token !== undefined && kinds.some((kind) => hashSecret(kind, token) !== undefined)

/**
 * The answer to a request without a good credential: 401 with where to get one (RFC 9728 section 5.1). An address that
 * keeps sending what cannot be a credential is told to slow down instead. What was one once is always 401, because a
 * client must learn that it has to sign in again.
 */
export const makeChallenge = ({ failedCredentials, trustedProxies }: ChallengeOptions) => {
  const trusted = proxyList(trustedProxies)
  const failed = makeFailedCredentials(failedCredentials, maxAddresses)
  return Effect.fnUntraced(function*(call: Call, failure: Failure): Effect.fn.Return<Reply> {
    const { base, request } = call
    if (request.headers.has("authorization")) {
      const usage = failed(clientAddress(request, trusted), yield* Clock.currentTimeMillis)
      if (!usage.allowed && !isWellFormed(bearerToken(request.headers))) {
        return failureReply({
          code: "RATE_LIMITED",
          message: "Too many requests with a wrong credential came from this address.",
          hint: "Correct the credential; a good one is served at once.",
          headers: { "retry-after": String(usage.resetSeconds) }
        })
      }
    }
    const metadata = base + documentPaths.protectedResource
    return failureReply({
      ...failure,
      code: failure.code,
      message: failure.message,
      hint: failure.hint,
      headers: { "www-authenticate": `Bearer realm="coppice", resource_metadata="${metadata}"` }
    })
  })
}
