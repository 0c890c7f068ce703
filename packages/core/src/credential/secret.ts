import { sha256 } from "@oslojs/crypto/sha2"
import { encodeHexLowerCase } from "@oslojs/encoding"
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"

/** What a secret is for. A secret of one kind is worth nothing where another is asked for. */
export const secretPrefixes = {
  apiKey: "coppice_ak_",
  webhookToken: "coppice_wh_",
  accessToken: "coppice_at_",
  refreshToken: "coppice_rt_",
  authorizationCode: "coppice_ac_",
  clientSecret: "coppice_cs_",
  browserSession: "coppice_bs_",
  /** What tells a browser from others before anybody has signed in there. */
  browserVisit: "coppice_bv_",
  invitation: "coppice_iv_",
  setup: "coppice_su_"
} as const
export type SecretKind = keyof typeof secretPrefixes

/** SHA-256 of a secret, in lower-case hexadecimal: all that is ever stored of it. */
export const SecretHash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)).pipe(Schema.brand("SecretHash"))
export type SecretHash = typeof SecretHash.Type

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomBytes = 32
const bodyLength = 43
const checksumLength = 6

const toNumber = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)

/** The number in base 62, padded to the length. */
const base62 = (number: bigint, length: number): string => {
  let text = ""
  for (let place = 0; place < length; place++) {
    text = digits.charAt(Number(number % 62n)) + text
    number /= 62n
  }
  return text
}

/** CRC-32 as in ISO 3309, the check that secret scanners know how to compute. */
const crc32 = (text: string): number => {
  let remainder = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    remainder ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0)
  }
  return ~remainder >>> 0
}

/** The end of every secret: lets a scanner, and the first line of authentication, tell a typo without a look-up. */
const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumLength)

const hashOf = (secret: string): SecretHash => encodeHexLowerCase(sha256(new TextEncoder().encode(secret))) as SecretHash

/** A new secret of 256 random bits. */
export const generateSecret = Effect.fn("generateSecret")(function*(kind: SecretKind) {
  const random = yield* SecureRandom
  const text = secretPrefixes[kind] + base62(toNumber(yield* random.randomBytes(randomBytes)), bodyLength)
  return text + checksum(text)
})

/** A new secret with the hash to keep of it. The secret itself is shown once, to whom it is for. */
export const issueSecret = Effect.fn("issueSecret")(function*(kind: SecretKind) {
  const secret = yield* generateSecret(kind)
  return { secret, hash: hashOf(secret) }
})

/** The hash under which a presented secret would be stored, or `undefined` when it cannot be a secret of this kind. */
export const hashSecret = (kind: SecretKind, presented: string): SecretHash | undefined => {
  const prefix = secretPrefixes[kind]
  if (presented.length !== prefix.length + bodyLength + checksumLength || !presented.startsWith(prefix)) return undefined
  const text = presented.slice(0, -checksumLength)
  if (checksum(text) !== presented.slice(-checksumLength)) return undefined
  return hashOf(presented)
}
