import { sha256 } from "@oslojs/crypto/sha2"
import { constantTimeEqual } from "@oslojs/crypto/subtle"
import { encodeBase64urlNoPadding } from "@oslojs/encoding"

const encoder = new TextEncoder()

/** SHA-256 in base64url, without padding (RFC 7636 section 4.2). */
export const isCodeChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** RFC 7636 section 4.1. A shorter one could be guessed. */
export const isCodeVerifier = (text: string): boolean => /^[A-Za-z0-9\-._~]{43,128}$/.test(text)

/** The challenge of a verifier by S256, the only method that there is here. */
export const challengeOf = (verifier: string): string => encodeBase64urlNoPadding(sha256(encoder.encode(verifier)))

export const verifierFits = (challenge: string, verifier: string): boolean =>
  isCodeVerifier(verifier) && constantTimeEqual(encoder.encode(challengeOf(verifier)), encoder.encode(challenge))
