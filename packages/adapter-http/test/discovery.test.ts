import { toolCatalog } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix, errorOf, type MatrixContext } from "./support/matrix.ts"
import { type Answer, initialize, request, send } from "./support/rpc.ts"

const documents = ["/.well-known/mcp/server-card.json", "/openapi.json", "/docs.md"]
const tools = toolCatalog as never

/** Every absolute address in a value. */
const urlsIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value).matchAll(/"(https?:\/\/[^"]+)"/g)].map(([, url]) => url!)

const bearer = (key: string, headers: Record<string, string> = {}) => ({ headers: { authorization: `Bearer ${key}`, ...headers } })

describeMatrix("discovery", (context: () => MatrixContext) => {
  it(verifies("discovery.server-card", "server-card.name", "server-card.version", "server-card.server-url", "server-card.tools",
    "server-card.description", "server-card.transport", "server-card.documentation-url", "server-card.authentication")
    + "publishes the server card with every tool", async () => {
    const { addKey, base, fetch } = context()
    const response = await fetch("/.well-known/mcp/server-card.json")
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
    const card = await response.json() as { readonly tools: ReadonlyArray<object> }
    expect(card).toEqual({
      name: "coppice",
      version: "1.2.3",
      description: expect.stringMatching(/^Runs coding agents/),
      serverUrl: `${base}/mcp`,
      transport: "streamable-http",
      documentationUrl: `${base}/docs.md`,
      authentication: { type: "oauth2", resourceMetadataUrl: `${base}/.well-known/oauth-protected-resource` },
      tools: expect.any(Array)
    })
    const listed = await (await fetch("/mcp", send((await addKey()).key, request("tools/list")))).json() as Answer
    const shown = listed.result!["tools"] as ReadonlyArray<{ name: string; description: string; inputSchema: object }>
    expect(card.tools).toEqual(shown.map(({ description, inputSchema, name }) => ({ name, description, inputSchema })))
    expect(card.tools.length).toBe(toolCatalog.length)
  })

  it(verifies("mcp.get-description", "mcp.get-401") + "describes the MCP server to whoever asks for no stream", async () => {
    const { addKey, base, fetch } = context()
    const { key } = await addKey()
    for (const path of ["/mcp", "/api/v2/agent/mcp"]) {
      const unknown = await fetch(path)
      expect([unknown.status, (await errorOf(unknown)).code]).toEqual([401, "UNAUTHORIZED"])
      expect(unknown.headers.get("www-authenticate")).toContain(`resource_metadata="${base}/.well-known/oauth-protected-resource"`)
      for (const accept of ["*/*", "application/json", "text/html", "text/event-stream;q=0", "text/event-streams"]) {
        const response = await fetch(path, bearer(key, { accept }))
        expect([accept, response.status, response.headers.get("content-type")]).toEqual([accept, 200, "application/json"])
        expect([response.headers.get("cache-control"), response.headers.get("vary")]).toEqual(["no-store", "accept"])
        expect(response.headers.get("ratelimit-remaining")).toBeNull()
        expect(await response.json()).toEqual({
          name: "coppice",
          title: "Coppice",
          version: "1.2.3",
          description: expect.stringMatching(/^Runs coding agents/),
          transport: "streamable-http",
          url: `${base}/mcp`,
          protocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
          serverCard: `${base}/.well-known/mcp/server-card.json`,
          openapi: `${base}/openapi.json`,
          documentation: `${base}/docs.md`,
          authentication: { type: "oauth2", resourceMetadataUrl: `${base}/.well-known/oauth-protected-resource` }
        })
      }
    }
  })

  it("names only revisions that it serves", async () => {
    const { addKey, fetch } = context()
    const { key } = await addKey()
    const { protocolVersions } = await (await fetch("/mcp", bearer(key))).json() as { protocolVersions: ReadonlyArray<string> }
    const legacy = protocolVersions.filter((version) => version < "2026")
    for (const version of legacy) {
      const answer = await (await fetch("/mcp", send(key, initialize(version)))).json() as Answer
      expect(answer.result!["protocolVersion"]).toBe(version)
    }
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {}
    }
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" }
    const discovered = await (await fetch("/mcp", send(key, request("server/discover", { _meta: meta }), headers))).json() as Answer
    expect(discovered.result!["supportedVersions"]).toEqual(protocolVersions.filter((version) => !legacy.includes(version)))
  })

  it.each([...documents, "/mcp"])("answers HEAD of %s as GET, without the body", async (path) => {
    const { key } = await context().addKey()
    const get = await context().fetch(path, bearer(key))
    const head = await context().fetch(path, { method: "HEAD", ...bearer(key) })
    expect([head.status, await head.text()]).toEqual([200, ""])
    for (const name of ["content-type", "etag", "cache-control", "access-control-allow-origin"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
    await get.text()
  })

  it.each(documents)("lets caches keep %s, and says when it has not changed", async (path) => {
    const first = await context().fetch(path)
    const etag = first.headers.get("etag")!
    await first.text()
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(first.headers.get("cache-control")).toBe("public, max-age=300")
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await context().fetch(path, { headers: { "if-none-match": known } })
      expect([known, again.status, again.headers.get("etag"), await again.text()]).toEqual([known, 304, etag, ""])
    }
    const changed = await context().fetch(path, { headers: { "if-none-match": "\"other\"" } })
    expect([changed.status, (await changed.text()).length > 0]).toEqual([200, true])
  })

  it("names the loopback address that each client calls it by", async () => {
    for (const host of ["localhost:4280", "127.0.0.1:9", "localhost:4280"]) {
      for (const path of documents) {
        const response = await context().app.fetch(new Request(`http://${host}${path}`))
        expect(await response.text()).toContain(`http://${host}`)
      }
    }
  })

  it("explains itself in Markdown: every address, every tool", async () => {
    const response = await context().fetch("/docs.md")
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
    const text = await response.text()
    for (const { name } of toolCatalog) expect(text).toContain(`| \`${name}\` | `)
    for (const path of ["/mcp", "/api/v2/agent/mcp", "/api/automations/webhook/<automationId>", ...documents]) {
      expect(text).toContain(`\`${path}\``)
    }
    expect(text).toContain(`${context().base}/mcp`)
  })
}, { tools })

describeMatrix("discovery, under a public address", (context: () => MatrixContext) => {
  const base = "https://coppice.example"

  it("names that address and no other, whatever the request says", async () => {
    const { addKey, fetch } = context()
    const { key } = await addKey()
    const lies = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example" }
    const answers = await Promise.all([...documents.slice(0, 2), "/mcp"].map(async (path) =>
      (await fetch(path, bearer(key, lies))).json()))
    const schemas = /^https:\/\/json-schema\.org\//
    const named = answers.flatMap(urlsIn).filter((url) => !schemas.test(url))
    expect(named.length).toBeGreaterThan(8)
    for (const url of named) expect(url.startsWith(base)).toBe(true)
    expect(await (await fetch("/docs.md", { headers: lies })).text()).not.toContain("evil.example")
  })

  it("names documents that are there", async () => {
    const { addKey, fetch } = context()
    const { key } = await addKey()
    const description = await (await fetch("/mcp", bearer(key))).json() as Record<string, string>
    for (const name of ["serverCard", "openapi", "documentation"]) {
      expect((await fetch(description[name]!.slice(base.length))).status).toBe(200)
    }
  })
}, { baseUrl: "https://coppice.example", tools })
