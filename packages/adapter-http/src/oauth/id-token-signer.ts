import type { SigningKey } from "@coppice/core"
import { IdTokenSigner } from "@coppice/core/ports"
import { Effect } from "effect"
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, SignJWT } from "jose"

const alg = "RS256"

/** To import a key costs more than to sign with it, and there are two at a time. */
const imported = new Map<string, Promise<CryptoKey>>()
const maxImported = 4

const importKey = ({ id, privateJwk }: SigningKey): Promise<CryptoKey> => {
  const known = imported.get(id) ?? (importJWK(JSON.parse(privateJwk) as object, alg) as Promise<CryptoKey>)
  imported.set(id, known)
  if (imported.size > maxImported) imported.delete(imported.keys().next().value!)
  return known
}

/** RS256 by the platform's own cryptography. */
export const idTokenSigner = IdTokenSigner.of({
  generate: () =>
    Effect.promise(async () => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 })
      const [publicJwk, privateJwk] = await Promise.all([exportJWK(publicKey), exportJWK(privateKey)])
      return { publicJwk: JSON.stringify(publicJwk), privateJwk: JSON.stringify(privateJwk) }
    }),
  sign: (key, claims) =>
    Effect.promise(async () =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: key.id, typ: "JWT" }).sign(await importKey(key))
    )
})

/** A key as it is published (RFC 7517 section 4). */
export const publishedKey = ({ id, publicJwk }: SigningKey): object => ({
  ...JSON.parse(publicJwk) as object,
  kid: id,
  use: "sig",
  alg
})
