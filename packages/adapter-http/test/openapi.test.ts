import { toolCatalog } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js"
import { Validator } from "@seriousme/openapi-schema-validator"
import { expect, it } from "vitest"
import { endpointCatalog } from "../src/index.ts"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { makeOAuth, manyRegistrations, oauth, redirectUri } from "./support/oauth.ts"
import { initialize, request, send } from "./support/rpc.ts"

type Schema = { readonly [keyword: string]: unknown }
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly deprecated?: boolean
  readonly security: ReadonlyArray<object>
  readonly parameters: ReadonlyArray<{ readonly in: string; readonly name: string; readonly required?: boolean }>
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { readonly schema: Schema }> }
  readonly responses: Record<string, {
    readonly description: string
    readonly headers?: Record<string, unknown>
    readonly content?: Record<string, { readonly schema: Schema }>
  }>
}
interface Document {
  readonly openapi: string
  readonly info: { readonly version: string; readonly title: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: object
}

const validator = new AjvJsonSchemaValidator()

describeMatrix("openapi", (context: () => MatrixContext) => {
  const read = async () => await (await context().fetch("/openapi.json")).json() as Document
  const operations = (document: Document) => Object.values(document.paths).flatMap((item) => Object.values(item))

  /** Holds an answer against what the document says of it. */
  const told = async (document: Document, status: number, path: string, response: Response, method = "GET") => {
    const what = `${method} ${path} ${status}`
    expect([what, response.status]).toEqual([what, status])
    const described = document.paths[path]![method.toLowerCase()]!.responses[status]!
    expect(described, what).toBeDefined()
    for (const name of Object.keys(described.headers ?? {}).filter((each) => each !== "Mcp-Session-Id")) {
      expect(response.headers.get(name), `${what} ${name}`).not.toBeNull()
    }
    const type = response.headers.get("content-type")?.split(";")[0]
    const text = await response.text()
    if (described.content === undefined) return void expect([what, text]).toEqual([what, ""])
    const schema = described.content[type!]?.schema
    expect(schema, `${what} ${type}`).toBeDefined()
    const verdict = validator.getValidator({ ...schema, components: document.components } as never)(
      type === "application/json" ? JSON.parse(text) : text
    )
    expect([what, verdict.errorMessage]).toEqual([what, undefined])
  }

  it(verifies("discovery.openapi", "version.openapi-document") + "is a valid document of OpenAPI 3.1.0, in its version 1.0.0", async () => {
    const response = await context().fetch("/openapi.json")
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
    const document = await response.json() as Document
    expect([document.openapi, document.info.version]).toEqual(["3.1.0", "1.0.0"])
    expect(document.servers).toEqual([{ url: context().base }])
    expect(await new Validator().validate(structuredClone(document) as never)).toEqual({ valid: true })
  })

  it("would not pass for valid with a fault in it", async () => {
    const document = await read()
    const broken = { ...document, paths: { ...document.paths, "/mcp": { post: { responses: { x: {} } } } } }
    expect((await new Validator().validate(structuredClone(broken) as never)).valid).toBe(false)
  })

  it("has each address and method of the catalogue that is documented, and nothing else", async () => {
    const document = await read()
    const catalog = endpointCatalog({ tools: [], resources: [], prompts: [], version: "1" } as never)
    const expected = catalog.filter(({ docs }) => docs !== undefined).flatMap((endpoint) =>
      endpoint.paths.map((path) =>
        `${"removed" in endpoint ? "post" : endpoint.method.toLowerCase()} ${path.replace(":automationId", "{automationId}")}`))
    const described = Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
    expect(described.toSorted()).toEqual(expected.toSorted())
    const ids = operations(document).map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { summary } of operations(document)) expect(summary).not.toBe("")
  })

  it("says of each address what its row in the catalogue says", async () => {
    const { paths } = await read()
    const of = (method: string, path: string) => paths[path]![method]!
    const rates = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"]
    for (const path of ["/mcp", "/api/v2/agent/mcp"]) {
      const { responses, security } = of("post", path)
      expect(security).toEqual([{ oauth2: [] }, { bearer: [] }])
      expect(Object.keys(responses)).toEqual(["200", "202", "400", "401", "403", "404", "406", "413", "415", "429", "default"])
      expect(Object.keys(responses["401"]!.headers!)).toEqual(["WWW-Authenticate"])
      expect(Object.keys(responses["429"]!.headers!)).toEqual(["Retry-After", ...rates])
      expect(Object.keys(responses["200"]!.headers!)).toEqual(["Mcp-Session-Id", ...rates])
    }
    const webhook = of("post", "/api/automations/webhook/{automationId}")
    expect(webhook.security).toEqual([{ webhookToken: [] }])
    expect(webhook.parameters).toEqual([{ in: "path", name: "automationId", required: true, schema: { type: "string" } }])
    expect(Object.keys(webhook.responses)).toEqual(["200", "400", "401", "403", "413", "429", "default"])
    expect(webhook.responses["413"]!.description).toContain("1048576")
    expect(webhook.responses["429"]!.description).toContain("300 requests in 60 seconds")
    const v1 = of("post", "/api/agent/mcp")
    expect([v1.deprecated, v1.security, Object.keys(v1.responses)]).toEqual([true, [], ["410", "default"]])
    expect(of("get", "/openapi.json").security).toEqual([])
  })

  it("describes what is answered: status, media type, fields and body", async () => {
    const { addAutomation, addKey, fetch } = context()
    const document = await read()
    const { key } = await addKey()
    const { path: webhook, put, token } = await addAutomation()
    const hook = (body: string, secret = token): RequestInit => ({
      method: "POST",
      body,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" }
    })
    const auth = { authorization: `Bearer ${key}` }
    const template = "/api/automations/webhook/{automationId}"
    const cases: ReadonlyArray<readonly [number, string, string, RequestInit?]> = [
      [200, "/mcp", "/mcp", send(key, initialize("2025-11-25"))],
      [200, "/mcp", "/mcp", send(key, request("tools/list"))],
      [200, "/mcp", "/mcp", send(key, [request("ping"), request("nope")], { "mcp-protocol-version": "2025-03-26" })],
      [200, "/api/v2/agent/mcp", "/api/v2/agent/mcp", send(key, request("ping"), { accept: "text/event-stream" })],
      [202, "/mcp", "/mcp", send(key, { jsonrpc: "2.0", method: "notifications/initialized" })],
      [400, "/mcp", "/mcp", send(key, "{")],
      [401, "/mcp", "/mcp", send(undefined, request("ping"))],
      [403, "/mcp", "/mcp", send(key, request("ping"), { origin: "https://evil.example" })],
      [404, "/mcp", "/mcp", send(key, request("ping"), { "mcp-session-id": "x" })],
      [406, "/mcp", "/mcp", send(key, request("ping"), { accept: "text/html" })],
      [413, "/mcp", "/mcp", send(key, " ".repeat(4 * 1024 * 1024 + 1))],
      [415, "/mcp", "/mcp", send(key, request("ping"), { "content-type": "text/plain" })],
      [200, "/mcp", "/mcp", { headers: auth }],
      [401, "/mcp", "/mcp"],
      [400, "/mcp", "/mcp", { method: "DELETE", headers: auth }],
      [404, "/mcp", "/mcp", { method: "DELETE", headers: { ...auth, "mcp-session-id": "x" } }],
      [410, "/api/agent/mcp", "/api/agent/mcp", { method: "POST" }],
      [200, template, webhook, hook("{}")],
      [400, template, webhook, hook("x")],
      [401, template, webhook, hook("{}", "x")],
      [413, template, webhook, hook(" ".repeat(1024 * 1024 + 1))],
      [200, "/.well-known/mcp/server-card.json", "/.well-known/mcp/server-card.json"],
      [200, "/openapi.json", "/openapi.json"],
      [200, "/docs.md", "/docs.md"],
      [200, "/auth.md", "/auth.md"],
      [200, "/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server"],
      [200, "/.well-known/openid-configuration", "/.well-known/openid-configuration"],
      [200, "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource"],
      [200, "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"],
      [304, "/docs.md", "/docs.md", { headers: { "if-none-match": "*" } }],
      [200, "/healthz", "/healthz"],
      [200, "/readyz", "/readyz"]
    ]
    for (const [status, path, address, init] of cases) await told(document, status, path, await fetch(address, init), init?.method)
    put("paused", token)
    await told(document, 400, template, await fetch(webhook, hook("{}")), "POST")
    put("active", token)
    let last = await fetch(webhook, hook("{}"))
    for (let sent = 0; sent < 300 && last.status === 200; sent++) {
      await last.text()
      last = await fetch(webhook, hook("{}"))
    }
    await told(document, 429, template, last, "POST")
  })

  it("describes what the authorization server answers", async () => {
    const { fetch } = context()
    const document = await read()
    const { authorize, connect, postRegistration, query, redeem, register, revoke, token } = makeOAuth(context())
    const { client_id } = await register()
    const { tokens } = await connect()
    const identity = `${oauth}/userinfo`
    await told(document, 201, `${oauth}/register`, await postRegistration({ redirect_uris: [redirectUri] }), "POST")
    await told(document, 400, `${oauth}/register`, await postRegistration({}), "POST")
    await told(document, 413, `${oauth}/register`, await postRegistration(" ".repeat(64 * 1024 + 1)), "POST")
    await told(document, 302, `${oauth}/authorize`, await authorize(client_id))
    await told(document, 400, `${oauth}/authorize`, await fetch(`${oauth}/authorize?${query("nobody")}`))
    const { code } = await makeOAuth(context()).code(client_id)
    await told(document, 200, `${oauth}/token`, await redeem(client_id, code), "POST")
    await told(document, 400, `${oauth}/token`, await token({}), "POST")
    await told(document, 401, `${oauth}/token`, await token({ grant_type: "refresh_token" }, { authorization: "Basic x" }), "POST")
    await told(document, 200, `${oauth}/revoke`, await revoke({ token: "x" }), "POST")
    await told(document, 400, `${oauth}/revoke`, await revoke({}), "POST")
    await told(document, 200, identity, await fetch(identity, { headers: { authorization: `Bearer ${tokens.access_token}` } }))
    await told(document, 401, identity, await fetch(identity))
    await told(document, 200, `${oauth}/jwks`, await fetch(`${oauth}/jwks`))
  })
}, { tools: toolCatalog as never, ...manyRegistrations })
