import { CurrentPrincipal, now, ToolProgress } from "@coppice/core"
import { ApiKeyStore } from "@coppice/core/ports"
import { Deferred, Effect } from "effect"
import { expect, it } from "vitest"
import { describeMatrix, errorOf, type MatrixContext } from "./support/matrix.ts"
import { headersOf, modern, revision } from "./support/modern.ts"
import { type Answer, messagesOf, request, send } from "./support/rpc.ts"
import { testTool } from "./support/service.ts"

const ends = new Map<string, string>()
const begun = new Map<string, Deferred.Deferred<void>>()
const beginOf = (name: string) => {
  const made = begun.get(name) ?? Deferred.makeUnsafe<void>()
  begun.set(name, made)
  return made
}

const tools = [
  testTool("whoami", () => Effect.map(CurrentPrincipal, ({ userId }) => ({ userId })), "people"),
  testTool("step", () =>
    Effect.gen(function*() {
      const report = yield* ToolProgress
      yield* report({ progress: 1, message: "One" })
      return { stepped: true }
    })),
  testTool("wait", (args) =>
    Effect.gen(function*() {
      const { name } = args as { name: string }
      yield* (yield* ToolProgress)({ progress: 1 })
      yield* Deferred.succeed(beginOf(name), undefined)
      return yield* Effect.onInterrupt(Effect.never, () => Effect.sync(() => void ends.set(name, "interrupted")))
    }))
]

describeMatrix("MCP 2026-07-28", (context: () => MatrixContext) => {
  const post = async (message: ReturnType<typeof request>, headers: Record<string, string> = {}, path = "/mcp") => {
    const { key } = await context().addKey()
    return context().fetch(path, send(key, message, { ...headersOf(message), ...headers }))
  }

  it.each(["/mcp", "/api/v2/agent/mcp"])("is discovered at %s", async (path) => {
    const response = await post(modern("server/discover"), {}, path)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(response.headers.get("ratelimit-remaining")).toBe("599")
    expect(response.headers.get("mcp-session-id")).toBeNull()
    expect((await response.json() as Answer).result).toMatchObject({
      resultType: "complete",
      supportedVersions: [revision],
      capabilities: { tools: {} },
      instructions: "Be kind.",
      ttlMs: 300_000,
      cacheScope: "public"
    })
  })

  it("lists the tools, in their order, with how long that may be kept", async () => {
    const { result } = await (await post(modern("tools/list"))).json() as Answer
    expect(result).toMatchObject({ resultType: "complete", ttlMs: 300_000, cacheScope: "public" })
    expect((result!["tools"] as Array<{ name: string }>).map(({ name }) => name)).toEqual(["whoami", "step", "wait"])
    const some = await (await post(modern("tools/list"), {}, "/mcp?toolsets=people")).json() as Answer
    expect((some.result!["tools"] as Array<{ name: string }>).map(({ name }) => name)).toEqual(["whoami"])
  })

  it("calls a tool as who is calling", async () => {
    const { key, userId } = await context().addKey()
    const call = modern("tools/call", { name: "whoami", arguments: {} })
    const answer = await (await context().fetch("/mcp", send(key, call, headersOf(call)))).json() as Answer
    expect(answer.result).toMatchObject({ structuredContent: { userId } })
  })

  it.each([
    ["application/json, text/event-stream", "text/event-stream", 2],
    ["*/*", "text/event-stream", 2],
    ["application/json", "application/json", 1],
    ["text/event-stream", "text/event-stream", 2]
  ])("answers a call that reports progress to Accept %s with %s", async (accept, contentType, count) => {
    const response = await post(modern("tools/call", { name: "step" }, { progressToken: 7 }), { accept })
    expect([response.status, response.headers.get("content-type")]).toEqual([200, contentType])
    const text = await response.text()
    const messages = contentType === "application/json" ? [JSON.parse(text) as Answer] : messagesOf(text)
    expect(messages.length).toBe(count)
    expect(messages.at(-1)!.result).toMatchObject({ structuredContent: { stepped: true } })
    if (count === 2) {
      expect(messages[0]).toMatchObject({
        method: "notifications/progress",
        params: { progressToken: 7, progress: 1, message: "One" }
      })
    }
  })

  it("answers as a stream where only that is accepted", async () => {
    const response = await post(modern("tools/call", { name: "whoami" }), { accept: "text/event-stream" })
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    expect(messagesOf(await response.text()).length).toBe(1)
  })

  const anotherRevision = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }
  it.each<[string, ReturnType<typeof request>, Record<string, string>, number, number]>([
    ["an unknown method", modern("nope/nope"), {}, 404, -32601],
    ["a method that is gone", modern("ping"), {}, 404, -32601],
    ["an unknown tool", modern("tools/call", { name: "nope" }), {}, 200, -32602],
    ["a revision to come", modern("tools/list", {}, anotherRevision), { "mcp-protocol-version": "2099-01-01" }, 400, -32022],
    ["a header that says another revision", modern("tools/list"), { "mcp-protocol-version": "2025-11-25" }, 400, -32020],
    ["a header that says another method", modern("tools/list"), { "mcp-method": "tools/call" }, 400, -32020],
    ["a header that says another tool", modern("tools/call", { name: "whoami" }), { "mcp-name": "wait" }, 400, -32020],
    ["a body without metadata", request("tools/list"), {}, 400, -32602],
    [
      "metadata without capabilities",
      modern("tools/list", {}, { "io.modelcontextprotocol/clientCapabilities": undefined }),
      {},
      400,
      -32602
    ]
  ])("refuses %s", async (_, message, headers, status, code) => {
    const response = await post(message, headers)
    expect([response.status, await response.json()]).toMatchObject([status, { jsonrpc: "2.0", id: 1, error: { code } }])
  })

  it("ends the work when the stream of its answer is closed", async () => {
    const name = `closed ${context().base}`
    const response = await post(modern("tools/call", { name: "wait", arguments: { name } }, { progressToken: 1 }))
    await Effect.runPromise(Deferred.await(beginOf(name)))
    await response.body!.cancel()
    await expect.poll(() => ends.get(name)).toBe("interrupted")
  })

  it("ends the work when the client goes away before there is an answer", async () => {
    const name = `gone ${context().base}`
    const { key } = await context().addKey()
    const call = modern("tools/call", { name: "wait", arguments: { name } })
    const leave = new AbortController()
    const aborted = context().fetch("/mcp", { ...send(key, call, headersOf(call)), signal: leave.signal })
    await Effect.runPromise(Deferred.await(beginOf(name)))
    leave.abort()
    await aborted.then(() => {}, () => {})
    await expect.poll(() => ends.get(name)).toBe("interrupted")
  })

  it("ends what is under way within a second of the end of its credential, streaming or not", async () => {
    const person = await context().addKey()
    const names = ["json", "stream"].map((way) => `revoked ${way} ${context().base}`)
    const answers = names.map((name, place) => {
      const call = modern("tools/call", { name: "wait", arguments: { name } }, place === 0 ? {} : { progressToken: 1 })
      return context().fetch("/mcp", send(person.key, call, headersOf(call)))
    })
    await Promise.all(names.map((name) => Effect.runPromise(Deferred.await(beginOf(name)))))
    const stream = await answers[1]!
    const revoked = performance.now()
    await context().runtime.runPromise(Effect.gen(function*() {
      yield* (yield* ApiKeyStore).revoke(person.organizationId, {}, person.id, yield* now)
    }))
    expect((await answers[0]!).status).toBe(401)
    await stream.text().catch(() => {})
    expect(performance.now() - revoked).toBeLessThan(1000)
    await expect.poll(() => names.map((name) => ends.get(name))).toEqual(["interrupted", "interrupted"])
  })

  it("acknowledges a subscription, and refuses to answer one as JSON", async () => {
    const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } })
    const [acknowledged] = messagesOf(await (await post(listen)).text())
    expect(acknowledged).toMatchObject({ method: "notifications/subscriptions/acknowledged", params: { notifications: {} } })
    const refused = await post(listen, { accept: "application/json" })
    expect([refused.status, (await errorOf(refused)).code]).toEqual([406, "NOT_ACCEPTABLE"])
  })
}, { tools, instructions: "Be kind." })
