import { challengeOf, isCodeChallenge, isCodeVerifier, verifierFits } from "@coppice/core"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { assert, describe } from "vitest"

describe("PKCE", () => {
  // RFC 7636, appendix B.
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  it("is by S256", () => {
    assert.strictEqual(challengeOf(verifier), challenge)
    assert.isTrue(verifierFits(challenge, verifier))
    assert.isFalse(verifierFits(challenge, challenge))
    assert.isFalse(verifierFits(verifier, verifier))
    assert.isFalse(verifierFits(challenge, `${verifier.slice(0, -1)}x`))
  })

  it("A3: has challenges of 43 characters of base64url", () => {
    assert.isTrue(isCodeChallenge(challenge))
    for (const bad of ["", challenge.slice(1), `${challenge}a`, `${challenge.slice(1)}=`, `${challenge.slice(1)}+`, `${challenge}\n`]) {
      assert.isFalse(isCodeChallenge(bad), bad)
    }
  })

  it("T6: has verifiers of 43 to 128 unreserved characters", () => {
    for (const length of [43, 64, 128]) assert.isTrue(isCodeVerifier("a".repeat(length)))
    for (const bad of ["", "a".repeat(42), "a".repeat(129), `${"a".repeat(43)} `, `${"a".repeat(43)}+`, `${"a".repeat(43)}ä`, `${"a".repeat(43)}\n`]) {
      assert.isFalse(isCodeVerifier(bad), bad)
      assert.isFalse(verifierFits(challengeOf(bad), bad), bad)
    }
  })

  it.prop("tells any two verifiers apart", [Schema.String.check(Schema.isPattern(/^[a-z]{43,50}$/)), Schema.String.check(Schema.isPattern(/^[a-z]{43,50}$/))], ([left, right]) => {
    assert.strictEqual(verifierFits(challengeOf(left), right), left === right)
  })
})
