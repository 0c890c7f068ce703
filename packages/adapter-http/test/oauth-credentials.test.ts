import { CallerAddress, generateSecret, mcpLimit, secretPrefixes, type SecretKind } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeMatrix, errorOf } from "./support/matrix.ts"
import { makeOAuth, manyRegistrations, oauth, redirectUri } from "./support/oauth.ts"
import { request, send } from "./support/rpc.ts"
import { testTool } from "./support/service.ts"

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describeMatrix("an access token", (context) => {
  it(verifies("service.oauth-or-api-key", "token.scoped-to-user-and-organization") + "K9: acts for the person who approved it, in the organization that they worked in then", async () => {
    const { database, fetch } = context()
    const { connect } = makeOAuth(context())
    const { client, person, tokens } = await connect({ scope: "openid email" })
    const who = async () => {
      const response = await fetch("/mcp", send(tokens.access_token, request("tools/call", { name: "whoami", arguments: {} })))
      return (await response.json() as { result: { structuredContent: object } }).result.structuredContent
    }
    const expected = {
      organizationId: person.activeOrganizationId,
      userId: person.id,
      role: "owner",
      grant: { clientId: client.client_id, scope: ["openid", "email"] }
    }
    expect(await who()).toMatchObject(expected)
    database.users.set(person.id, { ...person, activeOrganizationId: "0198c5a0-1111-7222-8333-44445f3f9a21" as never })
    expect(await who()).toMatchObject(expected)
  })

  it("shares one limit with all tokens of its grant, over both MCP paths, and with no other grant", async () => {
    const { connect, mcp, refresh } = makeOAuth(context())
    const { client, tokens } = await connect()
    const remaining = async (token: string, path?: string) => {
      const response = await mcp(token, path)
      expect([response.status, response.headers.get("ratelimit-limit"), response.headers.get("ratelimit-policy")])
        .toEqual([200, String(mcpLimit.max), "600;w=60"])
      return Number(response.headers.get("ratelimit-remaining"))
    }
    expect(await remaining(tokens.access_token)).toBe(599)
    expect(await remaining(tokens.access_token, "/api/v2/agent/mcp")).toBe(598)
    const next = await (await refresh(client.client_id, tokens.refresh_token)).json() as typeof tokens
    expect(await remaining(next.access_token)).toBe(597)
    expect(await remaining((await connect()).tokens.access_token)).toBe(599)
  })

  it("K3: is for the service, however the client named it, and for no other address of it", async () => {
    const { app, base } = context()
    const { code, connect, mcpStatus, redeem } = makeOAuth(context())
    for (const resource of [undefined, base, `${base}/`, `${base}/mcp`, `${base}/api/v2/agent/mcp`]) {
      const { client, tokens } = await connect({ resource })
      for (const path of ["/mcp", "/api/v2/agent/mcp"]) expect(await mcpStatus(tokens.access_token, path)).toBe(200)
      const again = await code(client.client_id, { resource })
      expect((await redeem(client.client_id, again.code, { resource: `${base}/mcp` })).status).toBe(200)
      // The same service by another name.
      const elsewhere = await app.fetch(new Request("http://localhost:1/mcp", send(tokens.access_token, request("ping"))))
      expect(elsewhere.status).toBe(401)
    }
  })

  it("K4: and nothing of another kind is a credential on MCP or at userinfo", async () => {
    const { addAutomation, addKey, fetch, runtime } = context()
    const { connect, mcpStatus } = makeOAuth(context())
    const { code, tokens } = await connect()
    const { key } = await addKey()
    const { path, token: webhookToken } = await addAutomation()
    const kinds = Object.keys(secretPrefixes) as ReadonlyArray<SecretKind>
    const secrets = await Promise.all(kinds.map((kind) => runtime.runPromise(generateSecret(kind))))
    for (const other of [...secrets, code, tokens.refresh_token!, tokens.id_token!, webhookToken]) {
      expect(await mcpStatus(other)).toBe(401)
      expect((await fetch(`${oauth}/userinfo`, bearer(other))).status).toBe(401)
    }
    const hook = await fetch(path, { method: "POST", body: "{}", headers: { "content-type": "application/json", ...bearer(tokens.access_token).headers } })
    expect(hook.status).toBe(401)
    // An API key is nobody's identity.
    const identity = await fetch(`${oauth}/userinfo`, bearer(key))
    expect([identity.status, (await errorOf(identity)).code]).toEqual([401, "UNAUTHORIZED"])
    expect(await mcpStatus(key)).toBe(200)
  })

  it("K5: comes in the header alone", async () => {
    const { fetch } = context()
    const { connect } = makeOAuth(context())
    const { tokens: { access_token } } = await connect()
    for (const path of ["/mcp", `${oauth}/userinfo`]) {
      expect((await fetch(`${path}?access_token=${access_token}`)).status).toBe(401)
      expect((await fetch(path, bearer(`${access_token}, Bearer ${access_token}`))).status).toBe(401)
      expect((await fetch(path, { headers: { authorization: `bEARER ${access_token}` } })).status).toBe(200)
    }
  })

  it("K1: is kept as a hash, as every other secret is", async () => {
    const { database } = context()
    const { connect, refresh, register } = makeOAuth(context())
    const { client_secret } = await register({ token_endpoint_auth_method: "client_secret_post" })
    const { client, code, tokens } = await connect()
    await refresh(client.client_id, tokens.refresh_token)
    const dump = JSON.stringify(database, (_, value: unknown) => value instanceof Map || value instanceof Set ? [...value] : value)
    expect(dump).toContain(redirectUri)
    for (const secret of [client_secret!, code, tokens.access_token, tokens.refresh_token!]) expect(dump).not.toContain(secret)
    expect(dump).not.toMatch(/coppice_(?:ac|at|rt|cs)_/)
  })
}, {
  ...manyRegistrations,
  tools: [testTool("whoami", () => Effect.map(Effect.context<never>(), (services) => services.mapUnsafe.get("@coppice/core/organization/CurrentPrincipal") as never))]
})

describeMatrix("userinfo", (context) => {
  it(verifies("userinfo.get-bearer", "userinfo.sub", "userinfo.email", "userinfo.email-verified", "userinfo.name", "userinfo.picture")
    + "T16: tells of the person what the token's scope opens", async () => {
    const { fetch } = context()
    const { connect, newPerson } = makeOAuth(context())
    const person = await newPerson()
    for (const [scope, more] of [
      ["openid", {}],
      ["openid profile", { name: person.name }],
      ["openid email", { email: person.email, email_verified: false }],
      ["openid profile email", { name: person.name, email: person.email, email_verified: false }]
    ] as const) {
      const { tokens } = await connect({ scope }, {}, person)
      const response = await fetch(`${oauth}/userinfo`, bearer(tokens.access_token))
      expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([200, "application/json", "no-store"])
      // There are no pictures of people here: an optional field that is left out.
      expect(await response.json()).toEqual({ sub: person.id, ...more })
    }
  })

  it(verifies("userinfo.401") + "answers 401 with where to get a credential, and 403 to a token without openid", async () => {
    const { base, fetch } = context()
    const { connect, revoke } = makeOAuth(context())
    const { tokens } = await connect()
    await revoke({ token: tokens.access_token })
    for (const init of [{}, bearer("x"), bearer(tokens.access_token)]) {
      const response = await fetch(`${oauth}/userinfo`, init)
      expect(response.status).toBe(401)
      expect(response.headers.get("www-authenticate")).toBe(`Bearer realm="coppice", resource_metadata="${base}/.well-known/oauth-protected-resource"`)
      expect((await errorOf(response)).code).toBe("UNAUTHORIZED")
    }
    const without = await fetch(`${oauth}/userinfo`, bearer((await connect({ scope: "email" })).tokens.access_token))
    expect([without.status, (await errorOf(without)).code]).toEqual([403, "FORBIDDEN"])
  })
}, manyRegistrations)

it("the audit log's default address is the machine's own", () => {
  expect(Effect.runSync(CallerAddress)).toBe("this machine")
})
