import { ApiKeyId, now, ToolProgress } from "@coppice/core"
import { ApiKeyStore, McpSessionStore } from "@coppice/core/ports"
import { verifies } from "@coppice/testkit/conformance"
import { DateTime, Deferred, Effect } from "effect"
import { expect, it, onTestFinished, vi } from "vitest"
import { describeMatrix, errorOf, type MatrixContext } from "./support/matrix.ts"
import { readEvents } from "./support/events.ts"
import { type Answer, initialize, messagesOf, request, send } from "./support/rpc.ts"
import { testTool } from "./support/service.ts"

const ends = new Map<string, string>()
const begins = new Map<string, Deferred.Deferred<void>>()
const beginOf = (name: string) => {
  const made = begins.get(name) ?? Deferred.makeUnsafe<void>()
  begins.set(name, made)
  return made
}

const tools = [
  testTool("echo", (args) => Effect.succeed({ args })),
  testTool("broken", () => Effect.die(new Error("the password is hunter2"))),
  testTool("wait", (args) =>
    Effect.gen(function*() {
      const { name } = args as { name: string }
      yield* (yield* ToolProgress)({ progress: 1 })
      yield* Deferred.succeed(beginOf(name), undefined)
      return yield* Effect.onInterrupt(Effect.never, () => Effect.sync(() => void ends.set(name, "interrupted")))
    }))
]

const wait = (name: string, id: string | number = 1, progressToken?: string) =>
  request("tools/call", {
    name: "wait",
    arguments: { name },
    ...(progressToken === undefined ? {} : { _meta: { progressToken } })
  }, id)

let unique = 0

describeMatrix("MCP streams", (context: () => MatrixContext) => {
  const post = (key: string, message: unknown, headers?: Record<string, string>) =>
    context().fetch("/mcp", send(key, message, headers))
  const begin = async (key: string, version = "2025-11-25"): Promise<Record<string, string>> => {
    const response = await post(key, initialize(version))
    await response.text()
    return { "mcp-session-id": response.headers.get("mcp-session-id")! }
  }
  const get = (key: string, headers: Record<string, string>, path = "/mcp") =>
    context().fetch(path, { headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...headers } })
  const open = async (key: string, headers: Record<string, string>, path?: string) => {
    const response = await get(key, headers, path)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    const events = readEvents(response)
    onTestFinished(() => events.close())
    return events
  }
  const say = (session: Record<string, string>, json: string) =>
    context().runtime.runPromise(
      Effect.flatMap(McpSessionStore as never, (store: McpSessionStore["Service"]) =>
        store.say(session["mcp-session-id"] as never, json, 1000))
    )
  const revoke = (key: { readonly organizationId: never; readonly id: ApiKeyId }) =>
    context().runtime.runPromise(Effect.gen(function*() {
      yield* (yield* ApiKeyStore).revoke(key.organizationId, {}, key.id, yield* now)
    }))
  const name = () => `${context().base} ${unique++}`
  const begun = (which: string) => Effect.runPromise(Deferred.await(beginOf(which)))
  const cancelled = (requestId: unknown) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } })

  it.each(["/mcp", "/api/v2/agent/mcp"])(
    verifies("mcp.get-stream", "mcp.get-session-header", "event.get-stream-messages")
      + "carries what the server says of its own accord, at %s",
    async (path) => {
      const { key } = await context().addKey()
      const session = await begin(key)
      const events = await open(key, session, path)
      expect(await events.next()).toBe("id: 0\ndata: ")
      await say(session, "{\"a\":1}")
      expect(await events.next()).toBe("id: 1\nevent: message\ndata: {\"a\":1}")
      await say(session, "{\"a\":2}")
      expect(await events.next()).toBe("id: 2\nevent: message\ndata: {\"a\":2}")
    }
  )

  it("has no event without data for a client that could not read one", async () => {
    const { key } = await context().addKey()
    const session = await begin(key, "2025-06-18")
    const events = await open(key, session)
    await say(session, "{}")
    expect(await events.next()).toBe("id: 1\nevent: message\ndata: {}")
  })

  it("goes on after the event that the client names, and else after the last one", async () => {
    const { key } = await context().addKey()
    const session = await begin(key)
    for (const n of [1, 2, 3]) await say(session, `{"n":${n}}`)
    const again = await open(key, { ...session, "last-event-id": "1" })
    expect([await again.next(), await again.next(), await again.next()]).toEqual([
      "id: 1\ndata: ",
      "id: 2\nevent: message\ndata: {\"n\":2}",
      "id: 3\nevent: message\ndata: {\"n\":3}"
    ])
    await again.close()
    const fresh = await open(key, session)
    expect(await fresh.next()).toBe("id: 3\ndata: ")
    for (const id of ["4", "x", "-1", ""]) {
      const response = await get(key, { ...session, "last-event-id": id })
      expect([response.status, (await errorOf(response)).code]).toEqual([400, "INVALID_REQUEST"])
    }
  })

  it("needs a session, the caller's own", async () => {
    const [mine, theirs] = [await context().addKey(), await context().addKey()]
    const session = await begin(mine.key)
    const missing = await get(mine.key, {})
    expect([missing.status, (await errorOf(missing)).code]).toEqual([400, "INVALID_REQUEST"])
    for (const headers of [session, { "mcp-session-id": "x" }]) {
      const response = await get(theirs.key, headers)
      expect([response.status, (await errorOf(response)).code]).toEqual([404, "NOT_FOUND"])
    }
    expect((await context().fetch("/mcp", { headers: { accept: "text/event-stream", ...session } })).status).toBe(401)
  })

  it("ends with the session", async () => {
    const { key } = await context().addKey()
    const session = await begin(key)
    const events = await open(key, session)
    await events.next()
    await context().fetch("/mcp", { method: "DELETE", headers: { authorization: `Bearer ${key}`, ...session } })
    expect(await events.next()).toBeUndefined()
  })

  it("ends within a second of the end of its credential", async () => {
    const person = await context().addKey()
    const session = await begin(person.key)
    const events = await open(person.key, session)
    await events.next()
    const revoked = performance.now()
    await revoke(person as never)
    expect(await events.next()).toBeUndefined()
    expect(performance.now() - revoked).toBeLessThan(1000)
  })

  it("ends within a minute where its credential ends by time alone", async () => {
    const person = await context().addKey()
    const session = await begin(person.key)
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const events = await open(person.key, session)
    await events.next()
    await say(session, "{}")
    expect(await events.next()).toBe("id: 1\nevent: message\ndata: {}")
    const { apiKeys } = context().database
    const row = apiKeys.get(person.id)!
    apiKeys.set(person.id, { ...row, key: { ...row.key, expiresAt: DateTime.makeUnsafe(0) } })
    vi.advanceTimersByTime(60_000)
    expect(await events.next()).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  it("ends when a newer stream of its session is opened, which gets what follows", async () => {
    const { key } = await context().addKey()
    const session = await begin(key)
    const first = await open(key, session)
    await first.next()
    const second = await open(key, session)
    expect(await first.next()).toBeUndefined()
    await say(session, "{}")
    expect([await second.next(), await second.next()]).toEqual(["id: 0\ndata: ", "id: 1\nevent: message\ndata: {}"])
  })

  it("carries log messages of the severity that the client asked for", async () => {
    const { key } = await context().addKey()
    const session = await begin(key)
    const events = await open(key, session)
    await events.next()
    const call = (tool: string) => post(key, request("tools/call", { name: tool }), session).then((response) => response.text())
    await call("echo")
    await call("broken")
    const [error] = messagesOf((await events.next())!)
    expect(error).toEqual({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: {
        level: "error",
        logger: "coppice",
        data: { tool: "broken", millis: expect.any(Number), error: expect.objectContaining({ code: "INTERNAL" }) }
      }
    })
    expect(JSON.stringify(error)).not.toContain("hunter2")
    await (await post(key, request("logging/setLevel", { level: "debug" }), session)).text()
    await call("echo")
    expect(messagesOf((await events.next())!)[0]).toMatchObject({
      params: { level: "debug", data: { tool: "echo", outcome: "answered" } }
    })
  })

  it("stops a request that the client cancels in its session, and no other one", async () => {
    const { key } = await context().addKey()
    const [session, other] = [await begin(key), await begin(key)]
    const [one, two, three] = [name(), name(), name()]
    const calls = [
      post(key, wait(one, 1), session),
      post(key, wait(two, "1"), session),
      post(key, wait(three, 1), other)
    ]
    await Promise.all([one, two, three].map(begun))
    expect((await post(key, cancelled(1), session)).status).toBe(202)
    const response = await calls[0]!
    expect([response.status, await response.text()]).toEqual([202, ""])
    expect([one, two, three].map((each) => ends.get(each))).toEqual(["interrupted", undefined, undefined])
    await post(key, cancelled("1"), session)
    await post(key, cancelled(1), other)
    await Promise.all(calls)
    expect([two, three].map((each) => ends.get(each))).toEqual(["interrupted", "interrupted"])
  })

  it("stops a request whose answer has become a stream, and ends that without a response", async () => {
    const { key } = await context().addKey()
    const session = await begin(key)
    const which = name()
    const response = await post(key, wait(which, "s", "token"), session)
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    await post(key, cancelled("s"), session)
    expect(messagesOf(await response.text()).map(({ method }) => method)).toEqual(["notifications/progress"])
    expect(ends.get(which)).toBe("interrupted")
  })

  it("passes over a cancellation that names nothing, or stands outside a session", async () => {
    const { key } = await context().addKey()
    const session = await begin(key)
    const which = name()
    const call = post(key, wait(which, 1), session)
    await begun(which)
    for (const message of [cancelled(2), cancelled(undefined), cancelled({}), cancelled(1)]) {
      expect((await post(key, message, message.params.requestId === 1 ? {} : session)).status).toBe(202)
    }
    expect(ends.get(which)).toBeUndefined()
    await post(key, cancelled(1), session)
    await call
  })

  it("ends what is under way within a second of the end of its credential, in a session or not", async () => {
    const person = await context().addKey()
    const session = await begin(person.key)
    const [inside, outside] = [name(), name()]
    const calls = [post(person.key, wait(inside), session), post(person.key, wait(outside))]
    await Promise.all([inside, outside].map(begun))
    const revoked = performance.now()
    await revoke(person as never)
    await Promise.all(calls)
    expect([inside, outside].map((each) => ends.get(each))).toEqual(["interrupted", "interrupted"])
    expect(performance.now() - revoked).toBeLessThan(1000)
    expect((await post(person.key, request("ping"))).status).toBe(401)
  })

  it("answers the client of a batch that is cancelled in part", async () => {
    const { key } = await context().addKey()
    const session = await begin(key, "2025-03-26")
    const which = name()
    const call = post(key, [wait(which, 1), request("ping", undefined, 2)], session)
    await begun(which)
    await post(key, cancelled(1), session)
    expect((await (await call).json() as Array<Answer>).map(({ id }) => id)).toEqual([2])
  })
}, { tools })
