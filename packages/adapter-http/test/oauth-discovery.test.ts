import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { makeOAuth, manyRegistrations, oauth, redirectUri, verifier } from "./support/oauth.ts"
import { request, send } from "./support/rpc.ts"

const wellKnown = "/.well-known/oauth-"
const documents = [
  `${wellKnown}protected-resource`, `${wellKnown}protected-resource/mcp`, `${wellKnown}protected-resource/api/v2/agent/mcp`,
  `${wellKnown}authorization-server`, "/.well-known/openid-configuration", "/auth.md"
]
const scopes = ["openid", "profile", "email", "offline_access"]

interface Metadata {
  readonly issuer: string
  readonly agent_auth: Record<string, string>
  readonly [name: string]: unknown
}

describeMatrix("discovery of the authorization server", (context: () => MatrixContext) => {
  const read = async <A = Metadata>(path: string) => await (await context().fetch(path)).json() as A

  it(verifies("discovery.protected-resource", "protected-resource.resource", "protected-resource.authorization-servers",
    "protected-resource.scopes-supported", "protected-resource.resource-name", "protected-resource.resource-documentation")
    + "M3: names the resource of each path, and the one authorization server", async () => {
    const { base, fetch } = context()
    for (const path of ["", "/mcp", "/api/v2/agent/mcp"]) {
      const response = await fetch(`${wellKnown}protected-resource${path}`)
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
      expect(await response.json()).toEqual({
        resource: base + path,
        authorization_servers: [base],
        scopes_supported: scopes,
        bearer_methods_supported: ["header"],
        resource_name: "Coppice",
        resource_documentation: `${base}/docs.md`
      })
    }
  })

  it(verifies("discovery.authorization-server", "authorization-server.issuer", "authorization-server.endpoints",
    "authorization-server.scopes-supported", "authorization-server.agent-auth", "authorization-server.identity-types",
    "auth.identity-assertion-unsupported")
    + "M1: describes the authorization server, in one document under both names", async () => {
    const { base, fetch } = context()
    const response = await fetch(`${wellKnown}authorization-server`)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
    const text = await response.text()
    const metadata = JSON.parse(text) as Metadata
    expect(metadata).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}${oauth}/authorize`,
      token_endpoint: `${base}${oauth}/token`,
      registration_endpoint: `${base}${oauth}/register`,
      revocation_endpoint: `${base}${oauth}/revoke`,
      userinfo_endpoint: `${base}${oauth}/userinfo`,
      jwks_uri: `${base}${oauth}/jwks`,
      scopes_supported: scopes,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      client_id_metadata_document_supported: false
    })
    expect(await (await fetch("/.well-known/openid-configuration")).text()).toBe(text)
    expect(text).not.toContain("id-jag")
    expect(text).not.toContain("identity_assertion")
    expect(text).not.toContain("null")
    const { token, postRegistration } = makeOAuth(context())
    const assertion = await token({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "x" })
    expect([assertion.status, (await assertion.json() as { error: string }).error]).toEqual([400, "unsupported_grant_type"])
    expect((await postRegistration({ type: "identity_assertion", redirect_uris: [redirectUri] })).status).toBe(400)
  })

  it("1.10: has agents find the same addresses in agent_auth, and the page that explains them", async () => {
    const { base, fetch } = context()
    const metadata = await read(`${wellKnown}authorization-server`)
    expect(metadata.agent_auth).toEqual({
      skill: `${base}/auth.md`,
      register_uri: metadata["registration_endpoint"],
      claim_uri: metadata["authorization_endpoint"],
      revocation_uri: metadata["revocation_endpoint"],
      identity_types_supported: ["anonymous"],
      anonymous: { credential_types_supported: ["access_token"] }
    })
    const skill = await fetch("/auth.md")
    expect([skill.status, skill.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"])
    const text = await skill.text()
    expect(text).toMatch(/^# auth\.md\n/)
    for (const section of ["Discover", "Pick a method", "Register", "Claim", "Use the credential", "Errors", "Revocation"]) {
      expect(text).toContain(`\n## ${section}\n`)
    }
    expect(text).toMatch(/`identity_assertion` and id-jag are not supported/)
    for (const [, address] of text.matchAll(/(https?:\/\/[^\s`'"?,]+\/[^\s`'"?]+)/g)) {
      if (address!.includes(":8976")) continue // The example's own redirect URI.
      expect(address!.startsWith(base)).toBe(true)
      expect((await fetch(address!.slice(base.length), { method: "OPTIONS" })).status).toBe(204)
    }
  })

  it(verifies("auth.discovery-chain", "service.metadata-published") + "leads from a 401 to a credential that works, by what each answer names", async () => {
    const { base, fetch } = context()
    const at = (url: unknown) => String(url).slice(base.length)
    const refused = await fetch("/mcp", send(undefined, request("ping")))
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate")!)![1]!
    const resource = await read<{ authorization_servers: ReadonlyArray<string>; resource: string }>(at(metadataUrl))
    const server = await read(at(resource.authorization_servers[0]) + `${wellKnown}authorization-server`)
    expect(server.issuer).toBe(resource.authorization_servers[0])
    expect(at(server.agent_auth["register_uri"])).toBe(`${oauth}/register`)
    const { connect, mcpStatus } = makeOAuth(context())
    expect(await mcpStatus((await connect({ resource: resource.resource })).tokens.access_token)).toBe(200)
    for (const path of ["/openapi.json", "/.well-known/mcp/server-card.json"]) expect((await fetch(path)).status).toBe(200)
  })

  it("1.10: has who follows auth.md to the letter end with a credential that works", async () => {
    const { base, fetch } = context()
    const text = await (await fetch("/auth.md")).text()
    const [register, exchange, refresh] = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!.replaceAll("\\\n", " "))
    const call = (block: string, values: Record<string, string> = {}) => {
      const url = /curl -X POST (\S+)/.exec(block)![1]!
      expect(url.startsWith(base)).toBe(true)
      const fields = [...block.matchAll(/(?:-d|--data-urlencode) (\w+)=(\S+)/g)].map(([, name, value]) =>
        [name!, value!.replace(/^<(\w+)>$/, (_, key: string) => values[key] ?? `no ${key}`)])
      const json = /-d '(.*)'/s.exec(block)?.[1]
      return fetch(url.slice(base.length), {
        method: "POST",
        body: json ?? new URLSearchParams(fields).toString(),
        headers: { "content-type": json === undefined ? "application/x-www-form-urlencoded" : "application/json" }
      })
    }
    const registered = await call(register!)
    expect(registered.status).toBe(201)
    const { client_id, redirect_uris } = await registered.json() as { client_id: string; redirect_uris: [string] }
    const { code, mcpStatus } = makeOAuth(context())
    const approved = await code(client_id, { redirect_uri: redirect_uris[0], scope: scopes.join(" ") })
    const answer = await call(exchange!, { client_id, code: approved.code, code_verifier: verifier, redirect_uri: redirect_uris[0] })
    expect(answer.status).toBe(200)
    const tokens = await answer.json() as { access_token: string; refresh_token: string }
    expect(await mcpStatus(tokens.access_token)).toBe(200)
    const renewed = await call(refresh!, { client_id, refresh_token: tokens.refresh_token })
    expect(await mcpStatus((await renewed.json() as typeof tokens).access_token)).toBe(200)
  })

  it("M4: answers HEAD, refuses POST, lets caches keep it for a while", async () => {
    const { fetch } = context()
    for (const path of documents) {
      const head = await fetch(path, { method: "HEAD" })
      expect([path, head.status, await head.text(), head.headers.get("cache-control")]).toEqual([path, 200, "", "public, max-age=300"])
      const posted = await fetch(path, { method: "POST", body: "{}" })
      expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
    }
  })

  it("L2: publishes the keys that ID tokens are signed with, and nothing private of them", async () => {
    const response = await context().fetch(`${oauth}/jwks`)
    expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")])
      .toEqual([200, "application/json", "public, max-age=3600"])
    const { keys } = await response.json() as { keys: ReadonlyArray<object> }
    expect(keys).toEqual([{ kty: "RSA", n: expect.any(String), e: "AQAB", kid: expect.any(String), use: "sig", alg: "RS256" }])
  })
}, manyRegistrations)

describeMatrix("discovery under a public address", (context) => {
  it("M2: names the configured address, whatever the request says", async () => {
    const { fetch } = context()
    const lies = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example" }
    for (const path of documents) {
      const text = await (await fetch(path, { headers: lies })).text()
      expect(text).not.toContain("evil.example")
      expect(text).toContain("https://coppice.example")
    }
  })

  it("M5: opens what programs use to pages of other sites, failures among the answers; never the authorization endpoint", async () => {
    const { fetch } = context()
    const origin = { origin: "https://app.example" }
    const open: ReadonlyArray<readonly [string, string, number]> = [
      ["GET", `${oauth}/jwks`, 200],
      ["GET", `${oauth}/userinfo`, 401],
      ["POST", `${oauth}/register`, 400],
      ["POST", `${oauth}/token`, 400],
      ["POST", `${oauth}/revoke`, 400],
      ["PUT", `${oauth}/token`, 405],
      ...documents.map((path) => ["GET", path, 200] as const)
    ]
    for (const [method, path, status] of open) {
      const response = await fetch(path, { method, headers: origin })
      expect([method, path, response.status, response.headers.get("access-control-allow-origin")]).toEqual([method, path, status, "*"])
      expect(response.headers.get("access-control-allow-credentials")).toBeNull()
      expect(response.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate")
      const preflight = await fetch(path, { method: "OPTIONS", headers: { ...origin, "access-control-request-method": method } })
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
    }
    for (const method of ["GET", "OPTIONS", "POST"]) {
      const response = await fetch(`${oauth}/authorize`, { method, headers: origin, redirect: "manual" })
      expect([method, response.headers.get("access-control-allow-origin")]).toEqual([method, null])
    }
  })

  it("C12: knows browsers by a cookie that no other site can set", async () => {
    const { authorize, register } = makeOAuth(context())
    const response = await authorize((await register()).client_id)
    expect(response.headers.get("location")).toMatch(/^https:\/\/coppice\.example\/consent\?request=/)
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-coppice_visit=coppice_bv_\w+; /)])
    expect(response.headers.getSetCookie()[0]).toContain("Secure")
  })
}, { ...manyRegistrations, baseUrl: "https://coppice.example" })
