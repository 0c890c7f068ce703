import { generateSecret, hashSecret, judgeClient, type OAuthClient, parseParameters, presentedClient } from "@coppice/core"
import { DateTime, Effect, Result } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { assert, describe, it } from "vitest"

const id = "0198c5a0-1111-7222-8333-44445f3f9a21"
const newSecret = () => Effect.runPromise(generateSecret("clientSecret").pipe(Effect.provide(layerWebCrypto)))
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`

const present = (authorization: string | undefined, form = "") => {
  const presented = presentedClient(authorization, parseParameters(form)!)
  return Result.isSuccess(presented) ? presented.success : [presented.failure.error, presented.failure.basic === true]
}

describe("how a client presents itself", () => {
  it("is in the body, or by HTTP Basic, or not at all", () => {
    assert.isUndefined(present(undefined))
    assert.deepStrictEqual(present(undefined, "client_id=a"), { clientId: "a", method: "none" })
    assert.deepStrictEqual(present(undefined, "client_id=a&client_secret="), { clientId: "a", method: "none" })
    assert.deepStrictEqual(present(undefined, "client_id=a&client_secret=s"), { clientId: "a", method: "client_secret_post", secret: "s" })
    assert.deepStrictEqual(present(basic("a:s")), { clientId: "a", basic: true, method: "client_secret_basic", secret: "s" })
    assert.deepStrictEqual(present(basic("a:s"), "client_id=a"), { clientId: "a", basic: true, method: "client_secret_basic", secret: "s" })
    assert.deepStrictEqual(present(basic("a:")), { clientId: "a", basic: true, method: "none" })
  })

  it("T12: is form-encoded on both sides of the first colon, under any case of the scheme", () => {
    assert.deepStrictEqual(present(basic("a%3Ab+c:s%2B%25:t")), { clientId: "a:b c", basic: true, method: "client_secret_basic", secret: "s+%:t" })
    assert.deepStrictEqual(present(basic("a:s").replace("Basic", "bASIC")), { clientId: "a", basic: true, method: "client_secret_basic", secret: "s" })
  })

  it("T12: is refused, and no failure of the service's, where the header cannot be read", () => {
    for (const header of [
      "Basic", "Basic ", "Basic !!!", "Basic YTpz YTpz", `${basic("a:s")}, ${basic("a:s")}`, basic("a"), basic(":s"), basic("%zz:s"), basic("a:%zz"),
      basic("a:%ff"), `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString("base64")}`, "Basic YTpzY"
    ]) assert.deepStrictEqual(present(header), ["invalid_client", true], header)
    for (const header of ["Bearer x", "Basically x", "", "Digest a=b"]) assert.deepStrictEqual(present(header), ["invalid_client", false], header)
  })

  it("T10: is by one method", () => {
    assert.deepStrictEqual(present(basic("a:s"), "client_secret=s"), ["invalid_request", false])
    assert.deepStrictEqual(present(basic("a:s"), "client_id=b"), ["invalid_client", true])
    assert.deepStrictEqual(present(undefined, "client_secret=s"), ["invalid_client", false])
  })
})

describe("T11: a client", async () => {
  const [secret, other] = [await newSecret(), await newSecret()]
  const at = DateTime.makeUnsafe(0)
  const of = (authMethod: OAuthClient["authMethod"]) => ({
    client: { id, redirectUris: [], grantTypes: [], authMethod, createdAt: at, updatedAt: at } as unknown as OAuthClient,
    ...authMethod === "none" ? {} : { secretHash: hashSecret("clientSecret", secret)! }
  })
  const judge = (registered: OAuthClient["authMethod"], method: OAuthClient["authMethod"], given?: string) => {
    const by = method === "client_secret_basic" ? { basic: true as const } : {}
    const judged = judgeClient(of(registered), { clientId: id, method, ...by, ...given === undefined ? {} : { secret: given } })
    return Result.isSuccess(judged) ? "good" : [judged.failure.error, judged.failure.basic === true]
  }

  it("is taken by the method that it registered, and by no other", () => {
    assert.strictEqual(judge("none", "none"), "good")
    assert.strictEqual(judge("client_secret_basic", "client_secret_basic", secret), "good")
    assert.strictEqual(judge("client_secret_post", "client_secret_post", secret), "good")
    for (const [registered, method] of [
      ["none", "client_secret_post"], ["none", "client_secret_basic"], ["client_secret_basic", "none"], ["client_secret_basic", "client_secret_post"],
      ["client_secret_post", "none"], ["client_secret_post", "client_secret_basic"]
    ] as const) {
      assert.deepStrictEqual(judge(registered, method, method === "none" ? undefined : secret), ["invalid_client", method === "client_secret_basic"])
    }
  })

  it("K4: is not taken with another secret, or with none that could be one", () => {
    for (const wrong of [other, "", "x", secret.slice(0, -1), `${secret}x`]) {
      assert.deepStrictEqual(judge("client_secret_post", "client_secret_post", wrong), ["invalid_client", false])
    }
  })

  it("is not there", () => {
    const judged = judgeClient(undefined, { clientId: id, method: "none" })
    assert.strictEqual(Result.isFailure(judged) && judged.failure.error, "invalid_client")
  })

  it("T14: tried HTTP Basic, also where it did so with an empty secret", () => {
    const judged = judgeClient(of("client_secret_basic"), { clientId: id, method: "none", basic: true })
    assert.strictEqual(Result.isFailure(judged) && judged.failure.basic, true)
  })
})
