import { expect, it } from "vitest"
import { endpointCatalog } from "../src/index.ts"
import { describeMatrix, errorOf, type MatrixContext } from "./support/matrix.ts"
import { request, send } from "./support/rpc.ts"

const open = ["/mcp", "/api/v2/agent/mcp", "/openapi.json", "/docs.md", "/.well-known/mcp/server-card.json", "/.well-known/oauth-protected-resource"]
const closed = ["/healthz", "/readyz", "/api/automations/webhook/x", "/api/agent/mcp", "/api/auth/oauth2/authorize", "/nope"]

const preflight = (origin: string, method = "POST") => ({
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization,content-type,mcp-protocol-version,mcp-session-id"
  }
})

const corsOf = (response: Response) => [...response.headers.keys()].filter((name) => name.startsWith("access-control-"))

const foreign = ["https://evil.example", "http://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost@evil.example"]

describeMatrix("pages of other sites, under an https address", (context: () => MatrixContext) => {
  it.each(open)("may call %s, once the browser has asked", async (path) => {
    const response = await context().fetch(path, preflight("https://app.example"))
    expect([response.status, await response.text()]).toEqual([204, ""])
    const isMcp = path.endsWith("/mcp")
    expect(Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("access-control-")))).toEqual({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": isMcp ? "POST, GET, HEAD, DELETE" : "GET, HEAD",
      "access-control-allow-headers":
        "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID",
      "access-control-max-age": "7200"
    })
  })

  it("may read every answer of an open address, failures among them, and never with cookies", async () => {
    const { addKey, fetch, watch } = context()
    const { key } = await addKey()
    const from = { origin: "https://app.example" }
    const cases: ReadonlyArray<[number, string, RequestInit]> = [
      [200, "/mcp", send(key, request("ping"), from)],
      [200, "/mcp", { headers: { authorization: `Bearer ${key}`, ...from } }],
      [200, "/openapi.json", { headers: from }],
      [400, "/mcp", send(key, "{", from)],
      [401, "/mcp", send(undefined, request("ping"), from)],
      [404, "/mcp", { method: "DELETE", headers: { authorization: `Bearer ${key}`, "mcp-session-id": "x", ...from } }],
      [405, "/mcp", { method: "PUT", headers: from }],
      [405, "/openapi.json", { method: "POST", headers: from }],
      [406, "/mcp", send(key, request("ping"), { ...from, accept: "text/html" })]
    ]
    for (const [status, path, init] of cases) {
      const response = await fetch(path, init)
      expect([path, response.status]).toEqual([path, status])
      expect(response.headers.get("access-control-allow-origin")).toBe("*")
      expect(response.headers.get("access-control-allow-credentials")).toBeNull()
      const exposed = response.headers.get("access-control-expose-headers")!.toLowerCase().split(", ")
      for (const name of ["www-authenticate", "mcp-session-id", "retry-after", "ratelimit-limit", "ratelimit-remaining"]) {
        expect(exposed).toContain(name)
      }
    }
    watch.defect = new Error("broken")
    const broken = await fetch("/mcp", send(key, request("ping"), from))
    watch.defect = undefined
    expect([broken.status, broken.headers.get("access-control-allow-origin")]).toEqual([500, "*"])
  })

  it.each(closed)("may not call %s", async (path) => {
    for (const init of [preflight("https://app.example"), { headers: { origin: "https://app.example" } }, { method: "PUT" }]) {
      const response = await context().fetch(path, init)
      await response.text()
      expect(corsOf(response)).toEqual([])
    }
  })

  it("need a credential as everybody does", async () => {
    const response = await context().fetch("/mcp", send(undefined, request("ping"), { origin: "https://app.example" }))
    expect([response.status, (await errorOf(response)).code]).toEqual([401, "UNAUTHORIZED"])
  })
}, { baseUrl: "https://coppice.example" })

for (const options of [{}, { baseUrl: "http://127.0.0.1:4280" }]) {
  describeMatrix(`pages of other sites, on loopback ${"baseUrl" in options ? "by configuration" : ""}`, (context: () => MatrixContext) => {
    it("are refused whatever they ask of an open address, and cannot read that", async () => {
      const { addKey, fetch, watch } = context()
      const { key } = await addKey()
      const before = watch.keys
      for (const origin of foreign) {
        const headers = { origin, authorization: `Bearer ${key}` }
        for (const path of open) {
          for (const init of [preflight(origin), ...["GET", "POST", "DELETE", "PUT"].map((method) => ({ method, headers }))]) {
            const response = await fetch(path, init)
            expect([path, init.method, response.status, corsOf(response)]).toEqual([path, init.method, 403, []])
            expect((await errorOf(response)).code).toBe("FORBIDDEN")
          }
        }
      }
      // Nobody was identified, nothing was counted.
      expect(watch.keys).toBe(before)
    })

    it("are told from the service's own pages, from a developer's tools, and from programs", async () => {
      const { addKey, base, fetch } = context()
      const { key } = await addKey()
      for (const origin of [base, "http://localhost:6274", "http://127.0.0.1:6274", "http://[::1]:1", undefined]) {
        const response = await fetch("/mcp", send(key, request("ping"), origin === undefined ? {} : { origin }))
        expect([origin, response.status, response.headers.get("access-control-allow-origin")]).toEqual([origin, 200, "*"])
        if (origin !== undefined) expect((await fetch("/mcp", preflight(origin))).status).toBe(204)
      }
    })
  }, options)
}

describeMatrix("pages, under an http address of a network", (context: () => MatrixContext) => {
  it("may call only where they are the service's own", async () => {
    const { key } = await context().addKey()
    const status = async (origin: string) => (await context().fetch("/mcp", send(key, request("ping"), { origin }))).status
    expect(await status("http://coppice.internal:4280")).toBe(200)
    for (const origin of [...foreign, "http://coppice.internal", "https://coppice.internal:4280", "http://localhost:6274"]) {
      expect([origin, await status(origin)]).toEqual([origin, 403])
    }
  })
}, { baseUrl: "http://coppice.internal:4280" })

it("every address that takes an API key is guarded against other sites' names, and no webhook is open to pages", () => {
  const catalog = endpointCatalog({ tools: [], resources: [], prompts: [], version: "1" } as never)
  for (const { cors, id, security } of catalog) {
    if (security === "bearer") expect([id, cors]).toEqual([id, "open"])
    if (security === "webhook") expect([id, cors]).toEqual([id, undefined])
  }
})
