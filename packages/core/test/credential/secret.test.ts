import { generateSecret, hashSecret, SecretHash, secretPrefixes } from "@coppice/core"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { assert, describe } from "vitest"

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

describe("a secret", () => {
  it("has a prefix that says what it is for", () => {
    assert.strictEqual(secretPrefixes.apiKey, "coppice_ak_")
    assert.strictEqual(secretPrefixes.webhookToken, "coppice_wh_")
    assert.strictEqual(new Set(Object.values(secretPrefixes)).size, Object.keys(secretPrefixes).length)
  })

  it.effect("is its prefix, 256 random bits in base 62 and a checksum", () =>
    Effect.gen(function*() {
      for (const kind of ["apiKey", "webhookToken"] as const) {
        const secret = yield* generateSecret(kind)
        assert.isTrue(secret.startsWith(secretPrefixes[kind]))
        assert.match(secret.slice(secretPrefixes[kind].length), /^[0-9A-Za-z]{49}$/)
        assert.isTrue(Schema.is(SecretHash)(hashSecret(kind, secret)))
      }
    }).pipe(Effect.provide(layerWebCrypto)))

  it.effect("is another one each time, with another hash", () =>
    Effect.gen(function*() {
      const secrets = yield* Effect.forEach(Array.from({ length: 200 }), () => generateSecret("apiKey"))
      assert.strictEqual(new Set(secrets).size, 200)
      assert.strictEqual(new Set(secrets.map((secret) => hashSecret("apiKey", secret))).size, 200)
    }).pipe(Effect.provide(layerWebCrypto)))

  it.effect("is nothing of another kind", () =>
    Effect.gen(function*() {
      assert.isUndefined(hashSecret("webhookToken", yield* generateSecret("apiKey")))
      assert.isUndefined(hashSecret("apiKey", yield* generateSecret("webhookToken")))
    }).pipe(Effect.provide(layerWebCrypto)))

  it.effect("is told from every change of one character without a look-up", () =>
    Effect.gen(function*() {
      const secret = yield* generateSecret("apiKey")
      assert.isDefined(hashSecret("apiKey", secret))
      for (let place = 0; place < secret.length; place++) {
        for (const digit of digits) {
          if (digit === secret[place]) continue
          assert.isUndefined(hashSecret("apiKey", secret.slice(0, place) + digit + secret.slice(place + 1)))
        }
        assert.isUndefined(hashSecret("apiKey", secret.slice(0, place) + secret.slice(place + 1)))
      }
      for (const wrong of ["", "coppice_ak_", ` ${secret}`, `${secret} `, `${secret}0`, secret.toUpperCase()]) {
        assert.isUndefined(hashSecret("apiKey", wrong))
      }
    }).pipe(Effect.provide(layerWebCrypto)))

  it.prop("is nothing that somebody makes up", [Schema.String], ([text]) => {
    assert.isUndefined(hashSecret("apiKey", text))
    assert.isUndefined(hashSecret("apiKey", secretPrefixes.apiKey + text))
  })
})
