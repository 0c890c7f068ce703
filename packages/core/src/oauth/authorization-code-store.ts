import type { Effect } from "effect"
import { Context } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Grant } from "./grant.ts"
import type { NewTokens } from "./oauth-token.ts"

/** A code as it is kept, with the grant that it is for. */
export interface AuthorizationCode {
  readonly grant: Grant
  readonly codeChallenge: string
  readonly expiresAt: Timestamp
  /** When it was redeemed, if it was. */
  readonly redeemedAt?: Timestamp
  /** How often it was presented with something that did not fit. */
  readonly misses: number
}

/** Authorization codes: each is worth one exchange (RFC 6749 section 4.1.2). */
export class AuthorizationCodeStore extends Context.Service<AuthorizationCodeStore, {
  /** The code, also one that was redeemed or has expired, and the store's present time to judge it by. */
  find(hash: SecretHash): Effect.Effect<{ readonly code: AuthorizationCode; readonly at: Timestamp } | undefined>
  /**
   * Redeems a code and stores the tokens for it, in one step: of several who try at once, one does. Answers whether it
   * was this one; it is not, too, once the code has expired by the store's clock or was missed `maxMisses` times, its grant was
   * revoked or is over, or its user is no member any more. No token outlasts the grant.
   */
  redeem(hash: SecretHash, tokens: NewTokens, maxMisses: number): Effect.Effect<boolean>
  /** Counts that a code was presented with something that does not fit. */
  miss(hash: SecretHash): Effect.Effect<void>
}>()("@coppice/core/oauth/AuthorizationCodeStore") {}
