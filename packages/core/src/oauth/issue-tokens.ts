import { DateTime, Effect } from "effect"
import { issueSecret } from "../credential/secret.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Grant } from "./grant.ts"
import { accessTokenSeconds, refreshIdleMillis } from "./oauth-lifetimes.ts"
import type { NewTokens } from "./oauth-token.ts"

/** What the token endpoint answers. */
export interface TokenAnswer {
  readonly accessToken: string
  readonly expiresInSeconds: number
  readonly scope: ReadonlyArray<string>
  readonly refreshToken?: string
  readonly idToken?: string
}

/** New tokens of a grant, not stored yet: the hashes for the store, and the answer for the client. */
export const makeTokens = Effect.fnUntraced(function*(grant: Grant, scope: ReadonlyArray<string>, at: Timestamp) {
  const access = yield* issueSecret("accessToken")
  // What may be renewed is the grant's to say, and stays so when one access token is to do less.
  const refresh = grant.scope.includes("offline_access") ? yield* issueSecret("refreshToken") : undefined
  const leftSeconds = Math.floor((DateTime.toEpochMillis(grant.expiresAt) - DateTime.toEpochMillis(at)) / 1000)
  const tokens: NewTokens = {
    accessHash: access.hash,
    scope,
    accessMillis: accessTokenSeconds * 1000,
    ...refresh === undefined ? {} : { refresh: { hash: refresh.hash, idleMillis: refreshIdleMillis } }
  }
  const answer: TokenAnswer = {
    accessToken: access.secret,
    expiresInSeconds: Math.min(accessTokenSeconds, Math.max(0, leftSeconds)),
    scope,
    ...refresh === undefined ? {} : { refreshToken: refresh.secret }
  }
  return { tokens, answer }
})
