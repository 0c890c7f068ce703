import { judgeClientMetadata } from "@coppice/core"
import { Result } from "effect"
import { assert, describe, it } from "vitest"

const redirect_uris = ["https://app.example/cb"]

const judge = (metadata: unknown): unknown => {
  const judged = judgeClientMetadata(metadata)
  return Result.isSuccess(judged) ? judged.success : judged.failure.code
}
const refuses = (metadata: unknown, code = "INVALID_CLIENT_METADATA") => assert.strictEqual(judge(metadata), code, JSON.stringify(metadata))

describe("a client's metadata", () => {
  it("D3: have the defaults of RFC 7591, and both grant types", () => {
    assert.deepStrictEqual(judge({ redirect_uris }), {
      redirectUris: redirect_uris,
      grantTypes: ["authorization_code", "refresh_token"],
      authMethod: "client_secret_basic"
    })
  })

  it("are kept as they were meant", () => {
    assert.deepStrictEqual(
      judge({
        redirect_uris,
        client_name: "Claude",
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none",
        scope: "email openid read",
        response_types: ["code"],
        client_uri: "https://app.example",
        logo_uri: null
      }),
      { redirectUris: redirect_uris, name: "Claude", grantTypes: ["authorization_code"], authMethod: "none", scope: ["openid", "email"] }
    )
    for (const authMethod of ["none", "client_secret_basic", "client_secret_post"]) {
      assert.include(judge({ redirect_uris, token_endpoint_auth_method: authMethod }) as object, { authMethod })
    }
    assert.deepStrictEqual(judge({ redirect_uris, client_name: " ", scope: "read" }), judge({ redirect_uris }))
  })

  it("D2: are an object with text and lists of text where these belong", () => {
    for (const body of [null, undefined, [], "x", 1, true, {}]) refuses(body)
    for (const uris of [undefined, null, "https://app.example/cb", [], [1], [null], {}, [redirect_uris]]) refuses({ redirect_uris: uris })
    for (const field of ["client_name", "scope", "token_endpoint_auth_method"]) {
      for (const value of [1, {}, [], true]) refuses({ redirect_uris, [field]: value })
    }
    for (const value of ["authorization_code", [1], {}, []]) refuses({ redirect_uris, grant_types: value })
  })

  it("D10: have 20 redirect URIs, and 200 characters of name, at the most", () => {
    const uris = (count: number) => Array.from({ length: count }, (_, place) => `https://app.example/${place}`)
    assert.isObject(judge({ redirect_uris: uris(20) }))
    refuses({ redirect_uris: uris(21) })
    assert.isObject(judge({ redirect_uris, client_name: "x".repeat(200) }))
    for (const client_name of ["x".repeat(201), "a\u0000b", "\ud800"]) refuses({ redirect_uris, client_name })
  })

  it("R5: have no redirect URI that is dangerous, wherever it stands", () => {
    for (const bad of ["javascript:alert(1)", "", "http://app.example/cb", "https://app.example/#x", `https://app.example/${"x".repeat(2048)}`]) {
      refuses({ redirect_uris: [bad] }, "INVALID_REDIRECT_URI")
      refuses({ redirect_uris: [...redirect_uris, bad] }, "INVALID_REDIRECT_URI")
    }
  })

  it("R6: have links to the web only", () => {
    for (const field of ["client_uri", "logo_uri", "tos_uri", "policy_uri", "jwks_uri"]) {
      for (const bad of ["javascript:alert(1)", "data:text/html,x", "x", "https://a b", "https://", 1, {}]) refuses({ redirect_uris, [field]: bad })
      assert.isObject(judge({ redirect_uris, [field]: "http://app.example/x" }))
    }
  })

  it("R8: may name any application type, or none", () => {
    for (const application_type of ["web", "native", undefined]) {
      assert.isObject(judge({ redirect_uris: ["http://127.0.0.1:1/cb"], application_type }))
    }
  })

  it("D4: set nothing that is the service's own", () => {
    const owned = {
      client_id: "mine",
      client_secret: "mine",
      id: "mine",
      service: { organizationId: "x", userId: "y" },
      userId: "x",
      organizationId: "x",
      owner: "me",
      skip_consent: true,
      created_at: 1,
      constructor: { prototype: { x: 1 } }
    }
    assert.deepStrictEqual(judge({ redirect_uris, ...owned }), judge({ redirect_uris }))
    assert.deepStrictEqual(judge(JSON.parse(`{"redirect_uris":["https://app.example/cb"],"__proto__":{"authMethod":"none"}}`)), judge({ redirect_uris }))
  })

  it("ask for no grant and no response that nobody may register for", () => {
    for (const type of ["client_credentials", "implicit", "password", "urn:ietf:params:oauth:grant-type:jwt-bearer", "x"]) {
      refuses({ redirect_uris, grant_types: ["authorization_code", type] })
    }
    refuses({ redirect_uris, grant_types: ["refresh_token"] })
    refuses({ redirect_uris, response_types: ["token"] })
    refuses({ redirect_uris, token_endpoint_auth_method: "private_key_jwt" })
    refuses({ redirect_uris, type: "identity_assertion" })
  })
})
