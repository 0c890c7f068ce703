import { signingKeys, userinfo } from "@coppice/core"
import { IdTokenSigner } from "@coppice/core/ports"
import { Effect } from "effect"
import { noStore } from "../errors/oauth-error.ts"
import { json } from "../reply.ts"
import { idTokenSigner, publishedKey } from "./id-token-signer.ts"

/** GET of the userinfo endpoint (OpenID Connect Core section 5.3). */
export const userinfoEndpoint = () => Effect.map(userinfo(), (claims) => json(200, claims, noStore))

/** GET of the key set (RFC 7517). A new key is in it for a day before it signs anything, so that an hour is not too long. */
export const jwksEndpoint = () =>
  signingKeys().pipe(
    Effect.provideService(IdTokenSigner, idTokenSigner),
    Effect.map((keys) => json(200, { keys: keys.map(publishedKey) }, { "cache-control": "public, max-age=3600" }))
  )
