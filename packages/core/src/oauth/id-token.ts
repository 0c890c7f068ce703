import { sha256 } from "@oslojs/crypto/sha2"
import { encodeBase64urlNoPadding } from "@oslojs/encoding"
import { DateTime, Effect } from "effect"
import { now } from "../timestamp.ts"
import type { Grant } from "./grant.ts"
import { IdTokenSigner } from "./id-token-signer.ts"
import { idTokenSeconds, signingKeyAt } from "./signing-key-policy.ts"
import { signingKeys } from "./signing-key-usecases.ts"

const seconds = (at: DateTime.Utc): number => Math.floor(DateTime.toEpochMillis(at) / 1000)

/** The left half of the access token's hash ties the two together (OpenID Connect Core section 3.1.3.6). */
const halfHash = (accessToken: string): string =>
  encodeBase64urlNoPadding(sha256(new TextEncoder().encode(accessToken)).slice(0, 16))

/** Who the person of a grant is, for its client alone. The nonce is of the request, and not of later refreshes. */
export const idTokenFor = Effect.fn("idTokenFor")(function*(grant: Grant, accessToken: string, options: { readonly withNonce: boolean }) {
  const at = yield* now
  const key = signingKeyAt(yield* signingKeys(), at)
  if (key === undefined) return yield* Effect.die(new Error("There is no key to sign with."))
  const claims = {
    iss: grant.resource,
    sub: grant.userId,
    aud: grant.clientId,
    iat: seconds(at),
    exp: seconds(at) + idTokenSeconds,
    at_hash: halfHash(accessToken),
    ...grant.authenticatedAt === undefined ? {} : { auth_time: seconds(grant.authenticatedAt) },
    ...grant.nonce === undefined || !options.withNonce ? {} : { nonce: grant.nonce }
  }
  return yield* (yield* IdTokenSigner).sign(key, claims)
})
