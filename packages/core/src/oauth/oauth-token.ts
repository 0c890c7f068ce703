import type { SecretHash } from "../credential/secret.ts"
import type { Grant } from "./grant.ts"
import type { Timestamp } from "../timestamp.ts"

/** Tokens to be stored for a grant. They last for so long by the store's clock, which is also what judges them. */
export interface NewTokens {
  readonly accessHash: SecretHash
  /** What this access token may be used for; the grant's scope, or less. */
  readonly scope: ReadonlyArray<string>
  readonly accessMillis: number
  /** There when a refresh token is issued too. */
  readonly refresh?: { readonly hash: SecretHash; readonly idleMillis: number }
}

/** A refresh token as it is kept, with the grant that it renews. */
export interface RefreshToken {
  readonly grant: Grant
  /** When it runs out if it is not used. */
  readonly expiresAt: Timestamp
  /** When it was first used, if it was. */
  readonly rotatedAt?: Timestamp
  /** How often it was used after that. */
  readonly reuses: number
}

/** What may be done with a refresh token that was used before: clients with several processes do so in good faith. */
export interface ReuseGrace {
  readonly graceMillis: number
  readonly maxReuses: number
}

/** What became of a refresh. `reused` ended the whole grant. */
export type Rotation = "rotated" | "reused" | "refused"
