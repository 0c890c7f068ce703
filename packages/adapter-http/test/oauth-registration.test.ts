import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix, errorOf } from "./support/matrix.ts"
import { makeOAuth, manyRegistrations, oauth, redirectUri } from "./support/oauth.ts"

const redirect_uris = [redirectUri]

describeMatrix("client registration", (context) => {
  it(verifies("registration.post", "registration.201", "registration.client-name", "registration.grant-types", "registration.scope",
    "registration.response-client-id", "registration.response-redirect-uris", "registration.response-grant-types",
    "registration.response-auth-method")
    + "D1, D6: registers a public client, and answers what it got and no secret", async () => {
    const { postRegistration } = makeOAuth(context())
    const response = await postRegistration({
      redirect_uris,
      client_name: "Agent",
      grant_types: ["authorization_code"],
      token_endpoint_auth_method: "none",
      scope: "openid email read",
      software_id: "ignored"
    })
    expect([response.status, response.headers.get("cache-control"), response.headers.get("pragma")]).toEqual([201, "no-store", "no-cache"])
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(await response.json()).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id_issued_at: expect.any(Number),
      client_name: "Agent",
      redirect_uris,
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: "openid email"
    })
  })

  it(verifies("registration.response-client-secret", "registration.auth-method") + "D1, D3: gives a confidential client a secret, of which a hash is kept", async () => {
    const { postRegistration } = makeOAuth(context())
    for (const method of ["client_secret_basic", "client_secret_post", undefined]) {
      const response = await postRegistration({ redirect_uris, token_endpoint_auth_method: method })
      const text = await response.text()
      const body = JSON.parse(text) as { readonly client_id: string; readonly client_secret: string }
      expect(body).toEqual({
        client_id: expect.any(String),
        client_id_issued_at: expect.any(Number),
        client_secret: expect.stringMatching(/^coppice_cs_[A-Za-z0-9]{49}$/),
        client_secret_expires_at: 0,
        redirect_uris,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: method ?? "client_secret_basic"
      })
      expect(text).not.toContain("null")
      const row = context().database.oauthClients.get(body.client_id as never)!
      expect(row.secretHash).toMatch(/^[0-9a-f]{64}$/)
      expect(JSON.stringify(row)).not.toContain(body.client_secret)
    }
  })

  it(verifies("registration.invalid-metadata-400", "registration.redirect-uris-required")
    + "D2, D5, R5: refuses what is wrong, in the API's envelope, and stores nothing", async () => {
    const { postRegistration } = makeOAuth(context())
    const before = context().database.oauthClients.size
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [{}, "INVALID_CLIENT_METADATA"],
      ["null", "INVALID_CLIENT_METADATA"],
      ["[]", "INVALID_CLIENT_METADATA"],
      ["\"x\"", "INVALID_CLIENT_METADATA"],
      ["{", "INVALID_CLIENT_METADATA"],
      ["", "INVALID_CLIENT_METADATA"],
      [{ redirect_uris: [] }, "INVALID_CLIENT_METADATA"],
      [{ redirect_uris: ["javascript:alert(1)"] }, "INVALID_REDIRECT_URI"],
      [{ redirect_uris: ["http://app.example/cb"] }, "INVALID_REDIRECT_URI"],
      [{ redirect_uris, client_name: 1 }, "INVALID_CLIENT_METADATA"],
      [{ redirect_uris, grant_types: ["client_credentials"] }, "INVALID_CLIENT_METADATA"],
      [{ redirect_uris, token_endpoint_auth_method: "private_key_jwt" }, "INVALID_CLIENT_METADATA"]
    ]
    for (const [metadata, code] of cases) {
      const response = await postRegistration(metadata)
      expect([metadata, response.status, response.headers.get("cache-control")]).toEqual([metadata, 400, "no-store"])
      expect(await response.json()).toMatchObject({ error: { code, message: expect.any(String) } })
    }
    expect(context().database.oauthClients.size).toBe(before)
  })

  it("D2: refuses what is not sent as JSON, is no UTF-8, or is over 64 KiB", async () => {
    const { postRegistration } = makeOAuth(context())
    const good = JSON.stringify({ redirect_uris })
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      const response = await postRegistration(good, { "content-type": type })
      expect([type, response.status, (await errorOf(response)).code]).toEqual([type, 400, "INVALID_CLIENT_METADATA"])
    }
    const bad = await context().fetch(`${oauth}/register`, {
      method: "POST",
      body: Uint8Array.of(0x7b, 0xff, 0x7d),
      headers: { "content-type": "application/json" }
    })
    expect([bad.status, (await errorOf(bad)).code]).toEqual([400, "INVALID_CLIENT_METADATA"])
    const large = await postRegistration({ redirect_uris, pad: "x".repeat(64 * 1024) })
    expect([large.status, (await errorOf(large)).code]).toEqual([413, "PAYLOAD_TOO_LARGE"])
  })

  it(verifies("registration.anonymous-until-approved") + "D4, C8: lets a client set nothing of the service's own, and do nothing by itself", async () => {
    const { database } = context()
    const { mcpStatus, post, register, token } = makeOAuth(context())
    const client = await register({
      token_endpoint_auth_method: "client_secret_post",
      client_id: "mine",
      skip_consent: true,
      service: { organizationId: "x", userId: "y" },
      grant_types: ["authorization_code", "refresh_token"]
    })
    expect(client.client_id).not.toBe("mine")
    expect(database.oauthClients.get(client.client_id as never)!.client.service).toBeUndefined()
    const alone = await token({ grant_type: "client_credentials", client_id: client.client_id, client_secret: client.client_secret })
    expect([alone.status, (await alone.json() as { error: string }).error]).toEqual([400, "unauthorized_client"])
    for (const bearer of [client.client_id, client.client_secret!]) expect(await mcpStatus(bearer)).toBe(401)
    expect((await post("userinfo", {})).status).toBe(405)
  })

  it("R8, R7: takes native clients that omit or name any application_type, with loopback and private-use redirects", async () => {
    const { register } = makeOAuth(context())
    for (const application_type of ["web", "native", undefined]) {
      for (const uri of ["http://127.0.0.1:3334/cb", "http://localhost/cb", "http://[::1]:1/cb", "cursor://anysphere.cursor-mcp/oauth/callback"]) {
        expect((await register({ redirect_uris: [uri], application_type })).client_id).toBeDefined()
      }
    }
  })
}, manyRegistrations)

describeMatrix("the limit on registrations", (context) => {
  it("D8: holds back an address, and then everybody, for as long as Retry-After says", async () => {
    const { ahead } = context()
    const { postRegistration } = makeOAuth(context())
    const register = (from: string) => postRegistration({ redirect_uris }, { "x-forwarded-for": from })
    for (let sent = 0; sent < 3; sent++) expect((await register("192.0.2.1")).status).toBe(201)
    const refused = await register("192.0.2.1")
    expect([refused.status, (await errorOf(refused)).code]).toEqual([429, "RATE_LIMITED"])
    const seconds = Number(refused.headers.get("retry-after"))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    // What an address sends beyond its own limit uses up nothing of the others'.
    for (let sent = 0; sent < 10; sent++) expect((await register("192.0.2.1")).status).toBe(429)
    const behindProxy = (await register("192.0.2.2")).status
    if (behindProxy === 429) return // In process there is no socket, and so no proxy to trust: all is one address.
    expect((await register("2001:db8::1")).status).toBe(201)
    expect((await register("192.0.2.3")).status).toBe(429)
    ahead.millis += 61_000
    expect((await register("192.0.2.1")).status).toBe(201)
  })
}, { trustedProxies: ["127.0.0.1"], registrations: { address: { max: 3, windowSeconds: 60 }, all: { max: 5, windowSeconds: 60 } } })

describeMatrix("registrations from one network", (context) => {
  it("D8: count together where they come from one /64, and are 60 a minute at least by default", async () => {
    const { postRegistration } = makeOAuth(context())
    let last = 201
    let accepted = 0
    for (; last === 201 && accepted < 200; accepted++) {
      last = (await postRegistration({ redirect_uris }, { "x-forwarded-for": `2001:db8::${accepted.toString(16)}` })).status
    }
    expect(last).toBe(429)
    expect(accepted).toBeGreaterThan(60)
  })
}, { trustedProxies: ["127.0.0.1"] })
