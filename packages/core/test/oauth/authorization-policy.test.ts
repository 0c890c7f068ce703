import { isRecent, judgeAuthorization, type OAuthClient, parseParameters, type Timestamp, untrustedRedirect } from "@coppice/core"
import { DateTime, Result } from "effect"
import { assert, describe, it } from "vitest"

const base = "https://coppice.example"
const client = {
  redirectUris: ["https://app.example/cb", "http://127.0.0.1/cb"],
  grantTypes: ["authorization_code", "refresh_token"]
} as unknown as OAuthClient
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
const good = {
  client_id: "x",
  redirect_uri: "https://app.example/cb",
  response_type: "code",
  code_challenge: challenge,
  code_challenge_method: "S256"
}

type Given = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const parametersOf = (given: Given) => {
  const pairs = Object.entries({ ...good, ...given }).flatMap(([name, value]) =>
    (value === undefined ? [] : typeof value === "string" ? [value] : value).map((each) => [name, each]))
  return parseParameters(new URLSearchParams(pairs).toString())!
}
const at = DateTime.makeUnsafe("2026-11-20T10:00:00.123Z")
const judge = (given: Given, options: { readonly authenticatedAt?: Timestamp; readonly client?: OAuthClient } = {}) => {
  const judged = judgeAuthorization(parametersOf(given), { at, authenticatedAt: undefined, base, client, ...options })
  return Result.isSuccess(judged) ? judged.success : judged.failure.error
}

describe("an authorization request", () => {
  it("asks for what it asks for", () => {
    assert.deepStrictEqual(judge({}), { scope: ["openid", "profile", "email", "offline_access"], resource: base, codeChallenge: challenge })
    assert.deepStrictEqual(judge({ scope: "openid", nonce: "n", resource: `${base}/mcp`, response_mode: "query", unknown: "x" }), {
      scope: ["openid"],
      resource: base,
      codeChallenge: challenge,
      nonce: "n"
    })
  })

  it("A3: has a challenge by S256", () => {
    for (const given of [
      { code_challenge: undefined }, { code_challenge_method: undefined }, { code_challenge_method: "plain" }, { code_challenge_method: "s256" },
      { code_challenge: "x" }, { code_challenge: `${challenge}=` }, { code_challenge: "" }
    ]) assert.strictEqual(judge(given), "invalid_request", JSON.stringify(given))
  })

  it("A4: says each thing once", () => {
    for (const name of ["state", "scope", "response_type", "code_challenge", "code_challenge_method", "nonce", "anything"]) {
      assert.strictEqual(judge({ [name]: ["a", "a"] }), "invalid_request", name)
    }
    assert.isObject(judge({ resource: [base, `${base}/mcp`] }))
  })

  it("A5: is answered with a code", () => {
    assert.strictEqual(judge({ response_type: undefined }), "invalid_request")
    for (const type of ["token", "code id_token", "id_token", "none", "CODE"]) {
      assert.strictEqual(judge({ response_type: type }), "unsupported_response_type")
    }
    for (const mode of ["fragment", "form_post"]) assert.strictEqual(judge({ response_mode: mode }), "invalid_request")
  })

  it("A6: is no request object", () => {
    assert.strictEqual(judge({ request: "x" }), "request_not_supported")
    assert.strictEqual(judge({ request_uri: "https://app.example/x" }), "request_uri_not_supported")
  })

  it("A9: is never answered without a person", () => {
    assert.strictEqual(judge({ prompt: "none" }), "login_required")
    assert.strictEqual(judge({ prompt: "none" }, { authenticatedAt: at }), "consent_required")
    assert.strictEqual(judge({ prompt: "none login" }), "invalid_request")
    assert.strictEqual(judge({ prompt: "nobody" }), "invalid_request")
  })

  it("A10: may ask for a person's consent, or for another sign-in", () => {
    for (const prompt of ["consent", "login", "select_account", "login consent"]) assert.isObject(judge({ prompt }))
  })

  it("asks for a sign-in that is no older than it says (OpenID Connect Core section 3.1.2.1)", () => {
    const since = (given: Given) => {
      const judged = judge(given)
      return typeof judged === "string" ? judged : judged.authenticatedAfter && DateTime.formatIso(judged.authenticatedAfter)
    }
    assert.deepStrictEqual([
      since({}),
      since({ prompt: "consent" }),
      since({ prompt: "login" }),
      since({ prompt: "consent login" }),
      since({ max_age: "0" }),
      since({ max_age: "60" }),
      since({ max_age: "60", prompt: "login" }),
      since({ max_age: "9".repeat(400) })
    ], [
      undefined,
      undefined,
      "2026-11-20T10:00:00.123Z",
      "2026-11-20T10:00:00.123Z",
      "2026-11-20T10:00:00.123Z",
      "2026-11-20T09:59:00.123Z",
      "2026-11-20T10:00:00.123Z",
      "1970-01-01T00:00:00.000Z"
    ])
    for (const max_age of ["-1", "1.5", "x", "1e3", " 1"]) assert.strictEqual(judge({ max_age }), "invalid_request", max_age)
    const before = (seconds: number) => ({ authenticatedAt: DateTime.subtract(at, { seconds }) })
    assert.strictEqual(judge({ prompt: "none", max_age: "60" }, before(60)), "consent_required")
    assert.strictEqual(judge({ prompt: "none", max_age: "60" }, before(61)), "login_required")
    assert.deepStrictEqual([isRecent(at, undefined), isRecent(at, at), isRecent(before(1).authenticatedAt, at)], [true, true, false])
  })

  it("K3: is for this service", () => {
    assert.strictEqual(judge({ resource: "https://evil.example" }), "invalid_target")
    assert.strictEqual(judge({ resource: [base, "https://evil.example"] }), "invalid_target")
  })

  it("T17: is of a client that may have codes", () => {
    assert.strictEqual(judge({}, { client: { ...client, grantTypes: ["client_credentials"] } }), "unauthorized_client")
  })
})

it("R1, R9: only a redirect URI that the client registered is trusted with an answer", () => {
  const fault = (given: Given) => untrustedRedirect(parametersOf(given), client)
  assert.isUndefined(fault({}))
  assert.isUndefined(fault({ redirect_uri: "http://127.0.0.1:9999/cb" }))
  for (const redirect_uri of [undefined, "", "https://evil.example/cb", "https://app.example/cb/", ["https://app.example/cb", "https://app.example/cb"]]) {
    assert.isString(fault({ redirect_uri }))
  }
})
