import type { Effect } from "effect"
import { Context } from "effect"
import type { SigningKey } from "./signing-key.ts"

/** Makes keys, and signs with them by RS256, which every relying party knows (OpenID Connect Core section 15.1). */
export class IdTokenSigner extends Context.Service<IdTokenSigner, {
  /** A new pair of keys, each as a JSON Web Key. */
  generate(): Effect.Effect<Pick<SigningKey, "publicJwk" | "privateJwk">>
  /** The claims as a signed token, whose header names the key. */
  sign(key: SigningKey, claims: Readonly<Record<string, string | number>>): Effect.Effect<string>
}>()("@coppice/core/oauth/IdTokenSigner") {}
