import { verifies } from "@coppice/testkit/conformance"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { describeMatrix, errorOf } from "./support/matrix.ts"
import { makeService } from "./support/service.ts"

describeMatrix("endpoints", (context) => {
  it.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    verifies("mcp.removed-v1-public", "mcp.removed-v1-hint", "version.removed-410", "version.v1-removed")
    + "answers %s of the removed v1 with 410 and its replacement", async (method) => {
    const response = await context().fetch("/api/agent/mcp", { method })
    expect(response.status).toBe(410)
    const error = await errorOf(response)
    expect(error.code).toBe("GONE")
    expect(error.hint).toContain("/mcp")
  })

  it(verifies("error.not-found-code") + "answers an unknown address with 404", async () => {
    for (const path of ["/nowhere", "/nope", "/mcp/more", "/api/automations/webhook", "/api/automations/webhook/a/b", "/%2e%2e/x", "//mcp"]) {
      const response = await context().fetch(path, { method: "POST", body: "{}" })
      expect([path, response.status, (await errorOf(response)).code]).toEqual([path, 404, "NOT_FOUND"])
    }
  })

  it.each([
    ["GET", "/api/automations/webhook/x", "POST, OPTIONS"],
    ["PUT", "/api/automations/webhook/x", "POST, OPTIONS"],
    ["PUT", "/mcp", "POST, GET, HEAD, DELETE, OPTIONS"],
    ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
    ["POST", "/healthz", "GET, HEAD, OPTIONS"],
    ["DELETE", "/readyz", "GET, HEAD, OPTIONS"]
  ])("answers %s %s with 405, and %s to OPTIONS too", async (method, path, allow) => {
    const response = await context().fetch(path, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get("allow")).toBe(allow)
    expect((await errorOf(response)).code).toBe("METHOD_NOT_ALLOWED")
    const options = await context().fetch(path, { method: "OPTIONS" })
    expect([options.status, options.headers.get("allow"), await options.text()]).toEqual([204, allow, ""])
  })

  it("answers HEAD without a body", async () => {
    const healthy = await context().fetch("/healthz", { method: "HEAD" })
    const webhook = await context().fetch("/api/automations/webhook/x", { method: "HEAD" })
    expect([healthy.status, await healthy.text(), webhook.status, await webhook.text()]).toEqual([200, "", 405, ""])
    expect(webhook.headers.get("allow")).toBe("POST, OPTIONS")
  })

  it("answers a defect with 500, an id that the log has, and nothing of its text", async () => {
    const { addAutomation, fetch, logs, watch } = context()
    const { path, token } = await addAutomation()
    watch.defect = new Error("the password is hunter2")
    const response = await fetch(path, { method: "POST", headers: { authorization: `Bearer ${token}` } })
    watch.defect = undefined
    expect(response.status).toBe(500)
    const error = await errorOf(response)
    expect(error.code).toBe("INTERNAL")
    expect(JSON.stringify(error)).not.toContain("hunter2")
    expect(JSON.stringify(logs)).toContain("hunter2")
  })

  it("answers an outage with 503 and Retry-After", async () => {
    const { addAutomation, fetch, watch } = context()
    const { path, token } = await addAutomation()
    watch.defect = new Error("connection lost")
    const response = await fetch(path, { method: "POST", headers: { authorization: `Bearer ${token}` } })
    watch.defect = undefined
    expect(response.status).toBe(503)
    expect(response.headers.get("retry-after")).toBe("5")
    expect((await errorOf(response)).code).toBe("UNAVAILABLE")
  })
}, { isOutage: (defect) => String(defect).includes("connection lost") })

describe("readiness", () => {
  const ask = async (ready: Effect.Effect<boolean>, stop = false) => {
    const { app } = await makeService({ ready })
    if (stop) app.beginStop()
    return (await app.fetch(new Request("http://localhost/readyz"))).status
  }
  it("says whether the service can work", async () => {
    expect(await ask(Effect.succeed(true))).toBe(200)
    expect(await ask(Effect.succeed(false))).toBe(503)
    expect(await ask(Effect.die("no database"))).toBe(503)
    expect(await ask(Effect.never)).toBe(503)
    expect(await ask(Effect.succeed(true), true)).toBe(503)
  })
})

describe("own address", () => {
  const challenge = async (host: string, baseUrl?: string, url = "http://127.0.0.1:4280/mcp") => {
    const { app } = await makeService(baseUrl === undefined ? {} : { baseUrl })
    const headers = { host, "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" }
    const response = await app.fetch(new Request(url, { method: "POST", headers }))
    return [response.status, response.headers.get("www-authenticate")?.split("\"")[3]]
  }
  const document = "/.well-known/oauth-protected-resource"

  it.each(["127.0.0.1:4280", "localhost:4280", "[::1]:4280", "localhost", "LOCALHOST:9"])("is what the client calls it: %s", async (host) => {
    expect(await challenge(host)).toEqual([401, `http://${host.toLowerCase()}${document}`])
  })

  it.each(["evil.example", "evil.example:4280", "127.0.0.1.evil.example", "localhost:1@evil", "127.0.0.1:4280, x", "10.0.0.1"])(
    "is refused as %s, which may be another site's name for it",
    async (host) => {
      expect(await challenge(host)).toEqual([403, undefined])
    }
  )

  it("is the configured one, whatever the request says", async () => {
    expect(await challenge("evil.example", "https://coppice.example")).toEqual([401, `https://coppice.example${document}`])
  })
})
