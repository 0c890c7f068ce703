import type { Effect } from "effect"
import { Context } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import type { OAuthClientId } from "../id.ts"
import type { Principal } from "../organization/principal.ts"
import type { Limit, Usage } from "../rate-limit/rate-limit.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Grant } from "./grant.ts"
import type { NewTokens, RefreshToken, ReuseGrace, Rotation } from "./oauth-token.ts"

/** Access and refresh tokens, found by the hash of what was presented. They are worth nothing once their grant is revoked or over, or its user is no member any more. */
export class OAuthTokenStore extends Context.Service<OAuthTokenStore, {
  /**
   * Who presents this access token, counted against `limit` in the same step (bucket: the grant), by the store's clock.
   * `undefined` for what opens nothing; that counts nowhere and writes nothing.
   */
  authenticate(
    hash: SecretHash,
    limit: Limit,
    hits?: number
  ): Effect.Effect<{ readonly principal: Principal; readonly usage: Usage } | undefined>
  /** Who presents this access token, as `authenticate` judges it, and counted nowhere. */
  identify(hash: SecretHash): Effect.Effect<Principal | undefined>
  /**
   * Stores a grant that needs nobody's consent, with its tokens, in one step; nothing for who is no member. A grant without
   * a redirect URI is a service client's, which asks again and again: where there is one of the same client, user, resource
   * and scope that was not revoked, the tokens hang on that, and it lasts for as long as the new one would, or longer.
   */
  issue(grant: Grant, tokens: NewTokens): Effect.Effect<void>
  /** The refresh token, also one that was used or has run out, and the store's present time to judge it by. `undefined` when it is unknown, or its grant is over. */
  findRefresh(hash: SecretHash): Effect.Effect<{ readonly token: RefreshToken; readonly at: Timestamp } | undefined>
  /**
   * Uses a refresh token, and stores what it is exchanged for, in one step, by the store's clock. The first use rotates it; up
   * to `maxReuses` more do so too within `graceMillis` of that; any use after that is `reused`, which revokes the grant and tells those who
   * listen to what depends on it. `refused` when it has run out, or its grant is over.
   */
  rotate(hash: SecretHash, tokens: NewTokens, grace: ReuseGrace): Effect.Effect<Rotation>
  /**
   * Ends a token: an access token alone, a refresh token with its whole grant. Those who listen are told. Where a client is
   * given, only a token of that client. Answers the grant that it was of, or `undefined` when nothing ended.
   */
  revoke(hash: SecretHash, clientId: OAuthClientId | undefined, at: Timestamp): Effect.Effect<Grant | undefined>
}>()("@coppice/core/oauth/OAuthTokenStore") {}
