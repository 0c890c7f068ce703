import { CurrentPrincipal, ToolProgress } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { Deferred, Effect } from "effect"
import { expect, it } from "vitest"
import { describeMatrix, errorOf, type MatrixContext } from "./support/matrix.ts"
import { type Answer, initialize, messagesOf, request, send } from "./support/rpc.ts"
import { testTool } from "./support/service.ts"

const day = 24 * 60 * 60 * 1000

/** What the slow tool waits for, and how it ended, by the name that its caller gave it. */
const gates = new Map<string, { readonly open: Deferred.Deferred<void>; readonly begun: Deferred.Deferred<void>; end?: string }>()
const gate = (name: string) => {
  const made = gates.get(name) ?? { open: Deferred.makeUnsafe<void>(), begun: Deferred.makeUnsafe<void>() }
  gates.set(name, made)
  return made as { open: Deferred.Deferred<void>; begun: Deferred.Deferred<void>; end?: string }
}
const opened = (name: string) => Effect.runSync(Deferred.succeed(gate(name).open, undefined))
const begun = (name: string) => Effect.runPromise(Deferred.await(gate(name).begun))

const tools = [
  testTool("echo", (args) => Effect.succeed({ args })),
  testTool("slow", (args) =>
    Effect.gen(function*() {
      const own = gate((args as { gate: string }).gate)
      const report = yield* ToolProgress
      yield* report({ progress: 1, total: 2, message: "Half of it" })
      yield* Deferred.succeed(own.begun, undefined)
      yield* Deferred.await(own.open)
      own.end = "done"
      return { slow: true }
    }).pipe(Effect.onInterrupt(() =>
      Effect.sync(() => {
        gate((args as { gate: string }).gate).end = "interrupted"
      })
    ))),
  testTool("whoami", () => Effect.map(CurrentPrincipal, ({ userId }) => ({ userId }))),
  testTool("broken", () => Effect.die(new Error("broken")))
]

const slow = (name: string, id: string | number = 1) =>
  request("tools/call", { name: "slow", arguments: { gate: name }, _meta: { progressToken: "token" } }, id)

describeMatrix("MCP sessions", (context: () => MatrixContext) => {
  const post = (key: string, message: unknown, headers?: Record<string, string>) =>
    context().fetch("/mcp", send(key, message, headers))
  const begin = async (key: string, version = "2025-11-25"): Promise<Record<string, string>> => {
    const response = await post(key, initialize(version))
    await response.text()
    return { "mcp-session-id": response.headers.get("mcp-session-id")! }
  }
  const end = (key: string, headers: Record<string, string>) =>
    context().fetch("/mcp", { method: "DELETE", headers: { authorization: `Bearer ${key}`, ...headers } })

  it.each(["2025-03-26", "2025-06-18", "2025-11-25", "2024-11-05"])(
    verifies("mcp-session.created-by-initialize") + "begins a session for a client of %s, with an id that nobody guesses",
    async (version) => {
      const { key } = await context().addKey()
      const ids = new Set<string>()
      for (let times = 0; times < 3; times++) {
        const { "mcp-session-id": id } = await begin(key, version)
        expect(id).toMatch(/^[\x21-\x7e]{22,}$/)
        ids.add(id!)
      }
      expect(ids.size).toBe(3)
    }
  )

  it("gives each of 50 principals their own answer in their own session, with the same ids at once", async () => {
    const people = await Promise.all(Array.from({ length: 50 }, async () => {
      const person = await context().addKey()
      return { ...person, session: await begin(person.key) }
    }))
    const call = request("tools/call", { name: "whoami" }, 1)
    const answers = await Promise.all(people.map(async ({ key, session }) =>
      await (await post(key, call, session)).json() as Answer
    ))
    expect(answers.map(({ result }) => result!["structuredContent"])).toEqual(people.map(({ userId }) => ({ userId })))
  })

  it("begins none for an initialize that fails", async () => {
    const { key } = await context().addKey()
    const response = await post(key, request("initialize", {}))
    expect(response.headers.get("mcp-session-id")).toBeNull()
    expect((await response.json() as Answer).error?.code).toBe(-32602)
  })

  it("serves in a session, on both paths, until DELETE ends it", async () => {
    const { key } = await context().addKey()
    const session = await begin(key)
    for (const path of ["/mcp", "/api/v2/agent/mcp"]) {
      const response = await context().fetch(path, send(key, request("ping"), session))
      expect([response.status, await response.json()]).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }])
    }
    expect((await post(key, { jsonrpc: "2.0", method: "notifications/initialized" }, session)).status).toBe(202)
    expect((await end(key, session)).status).toBe(200)
    const after = await post(key, request("ping", undefined, "a"), session)
    expect([after.status, await after.json()]).toEqual([
      404,
      { jsonrpc: "2.0", id: "a", error: { code: -32001, message: "Session not found" } }
    ])
    expect((await post(key, { jsonrpc: "2.0", method: "notifications/initialized" }, session)).status).toBe(404)
    const again = await end(key, session)
    expect([again.status, (await errorOf(again)).code]).toEqual([404, "NOT_FOUND"])
  })

  it("needs to be told which session to end, and counts no DELETE", async () => {
    const { key } = await context().addKey()
    const response = await end(key, {})
    expect([response.status, (await errorOf(response)).code]).toEqual([400, "INVALID_REQUEST"])
    expect(response.headers.get("ratelimit-remaining")).toBeNull()
    expect((await context().fetch("/mcp", { method: "DELETE" })).status).toBe(401)
  })

  it("is found by nobody else", async () => {
    const [mine, theirs] = [await context().addKey(), await context().addKey()]
    const session = await begin(mine.key)
    for (const headers of [session, { "mcp-session-id": "x" }, { "mcp-session-id": "\u00e9" }]) {
      const response = await post(theirs.key, request("ping"), headers)
      expect([response.status, (await response.json() as Answer).error!.code]).toEqual([404, -32001])
      expect((await end(theirs.key, headers)).status).toBe(404)
    }
    expect((await post(mine.key, request("ping"), session)).status).toBe(200)
  })

  it("is over after a day without use, and not before", async () => {
    const { addKey, ahead } = context()
    const { key } = await addKey()
    const session = await begin(key)
    ahead.millis += day - 60_000
    expect((await post(key, request("ping"), session)).status).toBe(200)
    ahead.millis += day - 60_000
    expect((await post(key, request("ping"), session)).status).toBe(200)
    ahead.millis += day + 1
    expect((await post(key, request("ping"), session)).status).toBe(404)
  })

  it("begins anew with an id that is lost: initialize does not look at it", async () => {
    const { key } = await context().addKey()
    const response = await post(key, initialize("2025-11-25"), { "mcp-session-id": "lost" })
    expect([response.status, response.headers.get("mcp-session-id")]).toEqual([200, expect.stringMatching(/.{43}/)])
  })

  it("keeps the level of log messages that the client asks for", async () => {
    const { database } = context()
    const { key } = await context().addKey()
    const session = await begin(key)
    const level = () => [...database.mcpSessions.values()].find(({ id }) => id === session["mcp-session-id"])!.logLevel
    expect(level()).toBe("info")
    expect((await (await post(key, request("logging/setLevel", { level: "error" }), session)).json() as Answer).result).toEqual({})
    expect(level()).toBe("error")
    const wrong = await (await post(key, request("logging/setLevel", { level: "loud" }), session)).json() as Answer
    expect(wrong.error?.code).toBe(-32602)
    expect((await (await post(key, request("logging/setLevel", { level: "debug" }))).json() as Answer).result).toEqual({})
    expect(level()).toBe("error")
  })

  it("refuses a revision that is not served in a session too", async () => {
    const { key } = await context().addKey()
    const response = await post(key, request("ping"), { ...await begin(key), "mcp-protocol-version": "2024-11-05" })
    expect([response.status, (await response.json() as Answer).error!.code]).toEqual([400, -32600])
  })

  it("answers a batch of 2025-03-26, in JSON or as events, and counts each of its messages", async () => {
    const { key } = await context().addKey()
    const batch = [
      request("ping", undefined, "a"),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      request("tools/call", { name: "broken" }, 2),
      { jsonrpc: "1.0", id: 3 },
      7
    ]
    const session = await begin(key, "2025-03-26")
    for (const headers of [session, { "mcp-protocol-version": "2025-03-26" }, {}]) {
      for (const accept of ["application/json", "text/event-stream"]) {
        const response = await post(key, batch, { ...headers, accept })
        const text = await response.text()
        const answers = accept === "application/json" ? JSON.parse(text) as Array<Answer> : messagesOf(text)
        const byId = Object.fromEntries(answers.map((answer) => [String(answer.id), answer]))
        expect(answers.length).toBe(4)
        expect(byId["a"]!.result).toEqual({})
        expect(byId["2"]!.result!["isError"]).toBe(true)
        expect(byId["3"]!.error!.code).toBe(-32600)
        expect(byId["null"]!.error!.code).toBe(-32600)
      }
    }
    const response = await post(key, batch)
    // One initialize, six batches before and this one, of five messages each.
    expect(response.headers.get("ratelimit-remaining")).toBe(String(600 - 1 - 7 * 5))
    expect((await post(key, [batch[1], { jsonrpc: "2.0", id: 1, result: {} }])).status).toBe(202)
  })

  it("refuses other batches", async () => {
    const { key } = await context().addKey()
    const of = (length: number) => Array.from({ length }, (_, id) => request("ping", undefined, id))
    const cases: ReadonlyArray<[unknown, Record<string, string>]> = [
      [of(2), { "mcp-protocol-version": "2025-06-18" }],
      [of(2), await begin(key, "2025-11-25")],
      [[], {}],
      [of(51), {}],
      [[initialize("2025-03-26")], {}]
    ]
    for (const [batch, headers] of cases) {
      const response = await post(key, batch, headers)
      expect([response.status, await response.json()]).toEqual([
        400,
        { jsonrpc: "2.0", id: null, error: { code: -32600, message: expect.any(String) } }
      ])
    }
    expect((await post(key, of(50), {})).status).toBe(200)
  })

  it("refuses a batch that is more than the limit has left, whole", async () => {
    const { key } = await context().addKey()
    const batch = Array.from({ length: 50 }, (_, id) => request("ping", undefined, id))
    for (let times = 0; times < 11; times++) expect((await post(key, batch)).status).toBe(200)
    for (let times = 0; times < 10; times++) expect((await post(key, request("ping"))).status).toBe(200)
    const refused = await post(key, batch)
    expect([refused.status, refused.headers.get("ratelimit-remaining"), refused.headers.get("retry-after")]).toEqual([
      429,
      "0",
      refused.headers.get("ratelimit-reset")
    ])
  })

  it("turns JSON into a stream when a tool has something to say before its result", async () => {
    const { key } = await context().addKey()
    const response = await post(key, slow("upgrade"), { accept: "application/json, text/event-stream" })
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    opened("upgrade")
    const messages = messagesOf(await response.text())
    expect(messages).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "token", progress: 1, total: 2, message: "Half of it" }
      },
      { jsonrpc: "2.0", id: 1, result: expect.objectContaining({ structuredContent: { slow: true } }) }
    ])
  })

  it("leaves progress out where only JSON is accepted, and where nobody asked for it", async () => {
    const { key } = await context().addKey()
    opened("quiet")
    const json = await post(key, slow("quiet"), { accept: "application/json" })
    expect((await json.json() as Answer).result!["structuredContent"]).toEqual({ slow: true })
    const silent = await post(key, request("tools/call", { name: "slow", arguments: { gate: "quiet" } }))
    expect(silent.headers.get("content-type")).toBe("application/json")
    await silent.text()
  })

  it("ends the work when the client of a sessionless request goes away, streaming or not", async () => {
    const { key } = await context().addKey()
    for (const accept of ["application/json", "text/event-stream"]) {
      const name = `gone ${accept} ${context().base}`
      const leave = new AbortController()
      const call = post(key, slow(name), { accept })
      await begun(name)
      if (accept === "application/json") {
        const aborted = context().fetch("/mcp", { ...send(key, slow(`${name} 2`), { accept }), signal: leave.signal })
        await begun(`${name} 2`)
        leave.abort()
        await aborted.then(() => {}, () => {})
        await expect.poll(() => gate(`${name} 2`).end).toBe("interrupted")
        opened(name)
        await call
      } else {
        await (await call).body!.cancel()
        await expect.poll(() => gate(name).end).toBe("interrupted")
      }
    }
  })

  it("goes on with the work of a session when its connection is lost", async () => {
    const { key } = await context().addKey()
    const session = await begin(key)
    const name = `lost ${context().base} ${key}`
    const response = await post(key, slow(name), { ...session, accept: "text/event-stream" })
    await begun(name)
    await response.body!.cancel()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(gate(name).end).toBeUndefined()
    opened(name)
    await expect.poll(() => gate(name).end).toBe("done")
  })
}, { tools })
