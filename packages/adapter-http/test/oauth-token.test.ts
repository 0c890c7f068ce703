import { AuthorizationCodeStore, OAuthClientStore, SigningKeyStore } from "@coppice/core/ports"
import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { outage, whileBroken } from "./support/break-store.ts"
import { describeMatrix } from "./support/matrix.ts"
import { basic, encode, failure, type Fields, makeOAuth, manyRegistrations, oauth, verifier } from "./support/oauth.ts"

describeMatrix("the token endpoint", (context) => {
  it(verifies("token.grant-type-required", "token.failure-400", "token.invalid-request", "token.invalid-client", "oauth-error.error", "oauth-error.error-description")
    + "T9, T10, T13, T18, T19: says what is wrong in the OAuth envelope, with 400", async () => {
    const { post, register } = makeOAuth(context())
    const { client_id } = await register()
    const form = "application/x-www-form-urlencoded"
    const good = { grant_type: "refresh_token", client_id, refresh_token: "x" }
    const cases: ReadonlyArray<readonly [Fields | string, string, string?]> = [
      [{}, "invalid_request"],
      [{ client_id }, "invalid_request"],
      [{ ...good, grant_type: "" }, "invalid_request"],
      [{ ...good, grant_type: "password" }, "unsupported_grant_type"],
      [{ ...good, grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "x" }, "unsupported_grant_type"],
      [{ ...good, client_id: undefined }, "invalid_client"],
      [{ ...good, client_id: "nobody" }, "invalid_client"],
      [{ ...good, client_id: "0198c5a0-1111-7222-8333-44445f3f9a21" }, "invalid_client"],
      [{ ...good, refresh_token: undefined }, "invalid_request"],
      [good, "invalid_grant"],
      [`${encode(good)}&client_id=${client_id}`, "invalid_request"],
      [`${encode(good)}&anything=1&anything=1`, "invalid_request"],
      [`${encode(good)}&x=%ff`, "invalid_request"],
      [`${encode(good)}&x=%zz`, "invalid_request"],
      [`${encode(good)}&x=%00`, "invalid_request"],
      [`${encode(good)}&${Array.from({ length: 6_000 }, (_, place) => `p${place}=`).join("&")}`, "invalid_request"],
      [`${encode(good)}&x=${"x".repeat(64 * 1024)}`, "invalid_request"],
      [encode(good), "invalid_request", "application/json"],
      [encode(good), "invalid_request", `application/json, ${form}`],
      [encode(good), "invalid_request", `${form}, application/json`],
      [encode(good), "invalid_request", "text/plain"],
      [encode(good), "invalid_request", `multipart/form-data; x=${form}`],
      [encode(good), "invalid_grant", `${form}; charset=UTF-8`],
      [encode(good), "invalid_grant", "Application/X-WWW-Form-Urlencoded"]
    ]
    for (const [fields, error, type = form] of cases) {
      const response = await post("token", fields, { "content-type": type })
      const what = [String(JSON.stringify(fields)).slice(0, 200), type]
      expect([what, response.status, response.headers.get("content-type")]).toEqual([what, 400, "application/json"])
      expect([response.headers.get("cache-control"), response.headers.get("pragma")]).toEqual(["no-store", "no-cache"])
      expect(response.headers.get("www-authenticate")).toBeNull()
      const body = await response.json()
      expect([what, body]).toEqual([what, { error, error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/) }])
    }
  })

  it("T11, T12, T14: takes a client by the method that it registered alone; a failed Basic is 401 with a challenge", async () => {
    const { code, redeem, register } = makeOAuth(context())
    const [pub, byBasic, byPost] = [
      await register(),
      await register({ token_endpoint_auth_method: "client_secret_basic" }),
      await register({ token_endpoint_auth_method: "client_secret_post" })
    ]
    const secretOf = (client: typeof pub) => client.client_secret!
    const bad: ReadonlyArray<readonly [typeof pub, Fields, string | undefined, number]> = [
      [pub, { client_secret: secretOf(byPost) }, undefined, 400],
      [pub, {}, basic(pub.client_id, "x"), 401],
      [byBasic, {}, undefined, 400],
      [byBasic, { client_secret: secretOf(byBasic) }, undefined, 400],
      [byBasic, {}, basic(byBasic.client_id, secretOf(byPost)), 401],
      [byBasic, {}, basic(byBasic.client_id, ""), 401],
      [byBasic, {}, "Basic !", 401],
      [byBasic, {}, "Bearer x", 400],
      [byBasic, {}, basic("0198c5a0-1111-7222-8333-44445f3f9a21", ""), 401],
      [byBasic, {}, basic("%zz", "x"), 401],
      [byPost, {}, basic(byPost.client_id, secretOf(byPost)), 401],
      [byPost, { client_secret: secretOf(byBasic) }, undefined, 400],
      [byPost, { client_secret: `${secretOf(byPost)}x` }, undefined, 400]
    ]
    for (const [client, fields, authorization, status] of bad) {
      const { code: presented } = await code(client.client_id)
      const response = await redeem(client.client_id, presented, fields, authorization === undefined ? {} : { authorization })
      expect([fields, authorization, response.status, response.headers.get("www-authenticate")])
        .toEqual([fields, authorization, status, status === 401 ? "Basic realm=\"coppice\"" : null])
      expect((await response.json() as { error: string }).error).toBe("invalid_client")
    }
    const twice = await redeem(byPost.client_id, "x", { client_secret: secretOf(byPost) }, { authorization: basic(byPost.client_id, secretOf(byPost)) })
    expect(await failure(twice)).toEqual([400, "invalid_request"])
    for (const [client, fields, headers] of [
      [pub, {}, {}],
      [pub, {}, { authorization: basic(pub.client_id, "") }],
      [byBasic, { client_id: undefined }, { authorization: basic(byBasic.client_id, secretOf(byBasic)) }],
      [byBasic, {}, { authorization: basic(byBasic.client_id, secretOf(byBasic)).replace("Basic", "basic") }],
      [byPost, { client_secret: secretOf(byPost) }, {}]
    ] as const) {
      const { code: presented } = await code(client.client_id)
      expect((await redeem(client.client_id, presented, fields, headers as Record<string, string>)).status).toBe(200)
    }
  })

  it("T17: keeps a client to the grant types that it registered", async () => {
    const { connect, refresh } = makeOAuth(context())
    const { client } = await connect({}, { grant_types: ["authorization_code"] })
    expect(await failure(await refresh(client.client_id, "x"))).toEqual([400, "unauthorized_client"])
  })

  it("is for POST alone", async () => {
    for (const path of ["token", "revoke"]) {
      const response = await context().fetch(`${oauth}/${path}`)
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
    }
  })
}, manyRegistrations)

describeMatrix("the token endpoint in an outage", (context) => {
  it("T15, T20: answers 503, uses nothing up, and never blames the client", async () => {
    const { code, connect, redeem, refresh, register } = makeOAuth(context())
    const { client_id } = await register()
    const approved = await code(client_id)
    const attempt = () => redeem(client_id, approved.code)
    for (const response of [
      await whileBroken(context(), OAuthClientStore, "find", attempt),
      await whileBroken(context(), AuthorizationCodeStore, "find", attempt),
      await whileBroken(context(), SigningKeyStore, "list", attempt),
      await whileBroken(context(), AuthorizationCodeStore, "redeem", attempt)
    ]) {
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"])
      expect(await response.json()).toEqual({ error: "temporarily_unavailable", error_description: expect.any(String) })
      expect(response.headers.get("cache-control")).toBe("no-store")
    }
    expect((await redeem(client_id, approved.code)).status).toBe(200)
    const { client, tokens } = await connect()
    const broken = await whileBroken(context(), SigningKeyStore, "list", () => refresh(client.client_id, tokens.refresh_token))
    expect(broken.status).toBe(503)
    expect((await refresh(client.client_id, tokens.refresh_token)).status).toBe(200)
  })

  it("L1: logs what happened, and none of what was presented", async () => {
    const { logs } = context()
    const { code, redeem, register } = makeOAuth(context())
    const client = await register({ token_endpoint_auth_method: "client_secret_post" })
    const approved = await code(client.client_id)
    await whileBroken(context(), AuthorizationCodeStore, "redeem", () =>
      redeem(client.client_id, approved.code, { client_secret: client.client_secret }))
    const text = JSON.stringify(logs)
    expect(logs.length).toBeGreaterThan(0)
    for (const secret of [approved.code, client.client_secret!, verifier]) expect(text).not.toContain(secret)
  })
}, { ...manyRegistrations, isOutage: (defect) => defect === outage })
