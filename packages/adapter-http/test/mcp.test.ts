import { CurrentPrincipal, NotFound } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeMatrix, errorOf, type MatrixContext } from "./support/matrix.ts"
import { type Answer, initialize, request, send } from "./support/rpc.ts"
import { testTool } from "./support/service.ts"

const tools = [
  testTool("echo", (args) => Effect.succeed({ args })),
  testTool("whoami", () => Effect.map(CurrentPrincipal, ({ userId }) => ({ userId })), "people"),
  testTool("missing", () => Effect.fail(new NotFound({ message: "No run \"x\".", hint: "List the runs." }))),
  testTool("broken", () => Effect.die(new Error("the password is hunter2"))),
  testTool("out", () => Effect.die(new Error("connection lost")))
]

describeMatrix("mcp", (context: () => MatrixContext) => {
  const rpc = async (message: unknown, headers?: Record<string, string>): Promise<[Response, Answer]> => {
    const { key } = await context().addKey()
    const response = await context().fetch("/mcp", send(key, message, headers))
    return [response, await response.json() as Answer]
  }

  it(verifies("mcp.initialize", "mcp.post-json", "service.mcp-is-primary-surface", "json-rpc.response-version",
    "json-rpc.response-echoes-id", "json-rpc.response-result", "json-rpc.request-version", "json-rpc.request-id", "auth.api-key")
    + "initializes, as JSON", async () => {
    const [response, answer] = await rpc(initialize("2025-06-18"))
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: "coppice", title: "Coppice", version: "1.2.3" },
        instructions: "Be kind."
      }
    })
  })

  it.each([["2025-11-25", "2025-11-25"], ["2025-03-26", "2025-03-26"], ["2024-11-05", "2025-11-25"], ["2099-01-01", "2025-11-25"]])(
    "answers the revision %s with %s",
    async (asked, answered) => {
      expect((await rpc(initialize(asked)))[1].result!["protocolVersion"]).toBe(answered)
    }
  )

  it(verifies("mcp.tools-list") + "lists the tools with their schemas, and fewer by toolset", async () => {
    const [, answer] = await rpc(request("tools/list"))
    const listed = answer.result!["tools"] as ReadonlyArray<Record<string, unknown>>
    expect(listed.map(({ name }) => name)).toEqual(["echo", "whoami", "missing", "broken", "out"])
    expect(Object.keys(listed[0]!)).toEqual(["name", "title", "description", "inputSchema", "outputSchema", "annotations"])
    const { key } = await context().addKey()
    const some = await (await context().fetch("/mcp?toolsets=people", send(key, request("tools/list")))).json() as Answer
    expect((some.result!["tools"] as Array<{ name: string }>).map(({ name }) => name)).toEqual(["whoami"])
  })

  it(verifies("mcp.tools-call", "json-rpc.request-method", "json-rpc.request-params") + "calls a tool", async () => {
    const [, answer] = await rpc(request("tools/call", { name: "echo", arguments: { a: [1] } }, "seven"))
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: "seven",
      result: { structuredContent: { args: { a: [1] } }, content: [{ type: "text", text: "{\"args\":{\"a\":[1]}}" }] }
    })
  })

  it("gives a tool no arguments as an empty object", async () => {
    expect((await rpc(request("tools/call", { name: "echo" })))[1].result!["structuredContent"]).toEqual({ args: {} })
  })

  it("answers ping", async () => {
    expect((await rpc(request("ping")))[1].result).toEqual({})
  })

  it("gives a tool's failure as a result that the model can read", async () => {
    const [, { result }] = await rpc(request("tools/call", { name: "missing" }))
    const error = { code: "NOT_FOUND", message: "No run \"x\".", hint: "List the runs." }
    expect(result).toEqual({
      isError: true,
      structuredContent: { error },
      content: [{ type: "text", text: JSON.stringify({ error }) }]
    })
  })

  it("shows an id of a defect, that the log has, and nothing else", async () => {
    const [, answer] = await rpc(request("tools/call", { name: "broken" }))
    const { code, message } = (answer.result!["structuredContent"] as { error: { code: string; message: string } }).error
    expect(answer.result!["isError"]).toBe(true)
    expect(code).toBe("INTERNAL")
    expect(JSON.stringify(answer)).not.toContain("hunter2")
    expect(message).toMatch(/\([0-9a-f-]{36}\)/)
    expect(JSON.stringify(context().logs)).toContain("hunter2")
    const [, out] = await rpc(request("tools/call", { name: "out" }))
    expect((out.result!["structuredContent"] as { error: { code: string } }).error.code).toBe("UNAVAILABLE")
  })

  it.each<[string, unknown, number, number, unknown]>([
    ["bad JSON", "{", 400, -32700, null],
    ["no JSON", "", 400, -32700, null],
    ["an empty array", [], 400, -32600, null],
    ["a string", "\"x\"", 400, -32600, null],
    ["null", "null", 400, -32600, null],
    ["another version", { ...request("ping"), jsonrpc: "1.0" }, 400, -32600, 1],
    ["no method", { jsonrpc: "2.0", id: 1 }, 400, -32600, 1],
    ["a method that is no string", { jsonrpc: "2.0", id: "a", method: 1 }, 400, -32600, "a"],
    ["params that are no object", { jsonrpc: "2.0", id: 1, method: "ping", params: [1] }, 400, -32600, 1],
    ["an id that is null", { jsonrpc: "2.0", id: null, method: "ping" }, 400, -32600, null],
    ["a broken id", { jsonrpc: "2.0", id: 1.5, method: "ping" }, 400, -32600, null],
    ["an unknown method", request("nope/nope"), 200, -32601, 1],
    ["an unknown tool", request("tools/call", { name: "nope" }), 200, -32602, 1],
    ["a call without a name", request("tools/call", {}), 200, -32602, 1],
    ["a call whose arguments are no object", request("tools/call", { name: "echo", arguments: 1 }), 200, -32602, 1],
    ["an initialize without a revision", request("initialize", {}), 200, -32602, 1],
    ["metadata that is no object", request("ping", { _meta: 1 }), 200, -32602, 1]
  ])(verifies("json-rpc.response-error") + "refuses %s", async (_, message, status, code, id) => {
    const [response, answer] = await rpc(message)
    expect(response.status).toBe(status)
    expect(answer).toEqual({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } })
  })

  it(verifies("json-rpc.notification-has-no-id") + "accepts notifications and responses with 202 and nothing", async () => {
    const { key } = await context().addKey()
    for (const message of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "anything/at-all", params: {} },
      { jsonrpc: "2.0", id: 1, result: {} }
    ]) {
      const response = await context().fetch("/mcp", send(key, message))
      expect(response.status).toBe(202)
      expect(await response.text()).toBe("")
    }
  })

  it.each([
    [null, "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["application/json, text/event-stream", "application/json"],
    ["text/event-stream, application/json;q=0.5", "text/event-stream"],
    ["text/event-stream", "text/event-stream"],
    ["text/*", "text/event-stream"]
  ])(verifies("mcp.post-event-stream", "event.post-as-events") + "answers Accept %s with %s", async (accept, contentType) => {
    const { key } = await context().addKey()
    const response = await context().fetch("/mcp", send(key, request("ping"), accept === null ? {} : { accept }))
    expect(response.headers.get("content-type")).toBe(contentType)
    const text = await response.text()
    const [, data] = /^event: message\ndata: (.*)\n\n$/.exec(text) ?? []
    expect(JSON.parse(contentType === "application/json" ? text : data!)).toEqual({ jsonrpc: "2.0", id: 1, result: {} })
  })

  it("refuses, by the envelope, what it cannot answer or read", async () => {
    const { key } = await context().addKey()
    const cases: ReadonlyArray<[number, string, RequestInit]> = [
      [406, "NOT_ACCEPTABLE", send(key, request("ping"), { accept: "text/html" })],
      [406, "NOT_ACCEPTABLE", send(key, request("ping"), { accept: "application/json;q=0" })],
      [415, "UNSUPPORTED_MEDIA_TYPE", send(key, request("ping"), { "content-type": "text/plain" })],
      [413, "PAYLOAD_TOO_LARGE", send(key, request("ping", { x: "x".repeat(4 * 1024 * 1024) }))],
      [403, "FORBIDDEN", send(key, request("ping"), { origin: "https://evil.example" })],
      [403, "FORBIDDEN", send(key, request("ping"), { origin: "null" })]
    ]
    for (const [status, code, init] of cases) {
      const response = await context().fetch("/mcp", init)
      expect([response.status, (await errorOf(response)).code]).toEqual([status, code])
    }
    const own = await context().fetch("/mcp", send(key, request("ping"), { origin: context().base }))
    expect(own.status).toBe(200)
  })

  it("refuses a revision header that is not served, but on initialize", async () => {
    const [response, answer] = await rpc(request("ping"), { "mcp-protocol-version": "2024-11-05" })
    expect([response.status, answer.error!.code]).toEqual([400, -32600])
    expect((await rpc(request("ping"), { "mcp-protocol-version": "2025-11-25" }))[0].status).toBe(200)
    expect((await rpc(initialize("2025-11-25"), { "mcp-protocol-version": "2024-11-05" }))[0].status).toBe(200)
  })

  it(verifies("mcp.alias-identical", "service.mcp-alias", "version.in-path", "limit.mcp-600-per-60-seconds", "mcp.post-429",
    "limit.header-limit", "limit.header-remaining", "limit.header-reset", "limit.header-policy", "limit.headers-on-429",
    "limit.retry-after-on-429", "mcp.429-envelope", "mcp.429-retry-after", "mcp.429-rate-limit-headers")
    + "admits 600 requests in a minute over both addresses together", async () => {
    const { addKey, ahead, fetch } = context()
    const { key } = await addKey()
    const other = await addKey()
    const fields = (response: Response) =>
      ["limit", "remaining", "reset", "policy"].map((name) => response.headers.get(`ratelimit-${name}`))
    for (let sent = 1; sent <= 600; sent++) {
      const response = await fetch(sent % 2 === 0 ? "/mcp" : "/api/v2/agent/mcp", send(key, request("ping")))
      expect(response.status).toBe(200)
      const [limit, remaining, reset, policy] = fields(response)
      expect([limit, remaining, policy]).toEqual(["600", String(600 - sent), "600;w=60"])
      expect(Number(reset)).toBeGreaterThan(0)
      expect(Number(reset)).toBeLessThanOrEqual(60)
      expect(response.headers.get("retry-after")).toBeNull()
    }
    for (const path of ["/mcp", "/api/v2/agent/mcp"]) {
      const refused = await fetch(path, send(key, request("ping")))
      expect(refused.status).toBe(429)
      const [limit, remaining, reset, policy] = fields(refused)
      expect([limit, remaining, policy]).toEqual(["600", "0", "600;w=60"])
      expect(refused.headers.get("retry-after")).toBe(reset)
      const error = await errorOf(refused)
      expect(error.code).toBe("RATE_LIMITED")
      expect(error.hint).toBeTypeOf("string")
    }
    expect((await fetch("/mcp", send(other.key, request("ping")))).status).toBe(200)
    ahead.millis += 60_000
    expect((await fetch("/mcp", send(key, request("ping")))).status).toBe(200)
  })

  it("counts what it refuses after the credential was good, and nothing before", async () => {
    const { addKey, fetch } = context()
    const { key } = await addKey()
    await fetch("/mcp", { headers: { authorization: `Bearer ${key}` } })
    await fetch("/mcp", send(key, request("ping"), { origin: "https://evil.example" }))
    const refused = await fetch("/mcp", send(key, request("ping"), { accept: "text/html" }))
    expect(refused.headers.get("ratelimit-remaining")).toBe("599")
  })

  it("gives each of 50 principals with the same ids their own answer", async () => {
    const { addKey, fetch } = context()
    const people = await Promise.all(Array.from({ length: 50 }, addKey))
    const call = request("tools/call", { name: "whoami" }, 1)
    const answers = await Promise.all(people.map(async ({ key }) =>
      await (await fetch("/mcp", send(key, call))).json() as Answer
    ))
    expect(answers.map(({ result }) => result!["structuredContent"])).toEqual(people.map(({ userId }) => ({ userId })))
  })
}, { tools, instructions: "Be kind.", isOutage: (defect) => String(defect).includes("connection lost") })
