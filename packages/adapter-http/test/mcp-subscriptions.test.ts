import { CurrentPrincipal, notFound, now, type Resource, resourceCatalog, RunId } from "@coppice/core"
import { ApiKeyStore, RunStore } from "@coppice/core/ports"
import { DateTime, Effect, Queue, Stream } from "effect"
import { expect, it, onTestFinished, vi } from "vitest"
import { readEvents } from "./support/events.ts"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { headersOf, modern } from "./support/modern.ts"
import { type Answer, initialize, messagesOf, request, send } from "./support/rpc.ts"

/** Counters that people have, by user and name. */
const counters = new Map<string, number>()
const followers = new Set<() => void>()
/** How often each was looked at. */
const looks = new Map<string, number>()

const bump = (userId: string, name: string, { final = false } = {}) => {
  const key = `${userId} ${name}`
  counters.set(key, final ? Infinity : (counters.get(key) ?? 0) + 1)
  for (const follower of followers) follower()
}

const countOf = ({ name }: { readonly [name: string]: string }) =>
  Effect.flatMap(CurrentPrincipal, ({ userId }) => {
    const key = `${userId} ${name}`
    looks.set(key, (looks.get(key) ?? 0) + 1)
    const count = counters.get(key)
    return count === undefined ? notFound("counter", name!) : Effect.succeed(count)
  })

const counter: Resource<CurrentPrincipal> = {
  uri: "test://counters/{name}",
  name: "counter",
  title: "Counter",
  description: "A counter.",
  mimeType: "text/plain",
  read: (parameters) => Effect.map(countOf(parameters), String),
  watch: {
    revision: (parameters) => Effect.map(countOf(parameters), (count) => ({ revision: String(count), final: count === Infinity })),
    changes: Stream.callback((changes) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const follower = () => void Queue.offerUnsafe(changes, undefined)
          followers.add(follower)
          return follower
        }),
        (follower) => Effect.sync(() => followers.delete(follower))
      ))
  }
}

const { watch: _, ...still } = { ...counter, uri: "test://still/{name}" }

const updated = (name: string) => ({ method: "notifications/resources/updated", params: { uri: `test://counters/${name}` } })

describeMatrix("MCP subscriptions", (context: () => MatrixContext) => {
  const post = (key: string, message: unknown, headers?: Record<string, string>) =>
    context().fetch("/mcp", send(key, message, headers))
  const ask = async (key: string, session: Record<string, string>, method: string, uri: string) =>
    await (await post(key, request(method, { uri }), session)).json() as Answer
  const begin = async (version = "2025-11-25") => {
    const { id, key, organizationId, userId } = await context().addKey()
    const response = await post(key, initialize(version))
    const { result } = await response.json() as Answer
    return { id, key, organizationId, userId, result: result!, session: { "mcp-session-id": response.headers.get("mcp-session-id")! } }
  }
  const open = async (key: string, session: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await context().fetch("/mcp", {
      headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...session, ...headers }
    })
    const events = readEvents(response)
    onTestFinished(() => events.close())
    await events.next()
    return events
  }
  const subscribe = async (key: string, session: Record<string, string>, name: string) => {
    expect(await ask(key, session, "resources/subscribe", `test://counters/${name}`)).toMatchObject({ result: {} })
  }

  it("are offered in every revision", async () => {
    const { key, result } = await begin()
    expect(result["capabilities"]).toMatchObject({ resources: { subscribe: true } })
    const discover = modern("server/discover")
    const discovered = await (await post(key, discover, headersOf(discover))).json() as Answer
    expect(discovered.result!["capabilities"]).toMatchObject({ resources: { subscribe: true } })
  })

  it("tell the session's stream of each change, and of nothing else", async () => {
    const { key, session, userId } = await begin()
    for (const name of ["a", "b", "c"]) bump(userId, name)
    await subscribe(key, session, "a")
    const events = await open(key, session)
    await subscribe(key, session, "b")
    bump(userId, "c")
    bump(userId, "b")
    expect(messagesOf((await events.next())!)).toEqual([{ jsonrpc: "2.0", ...updated("b") }])
    bump(userId, "a")
    expect(messagesOf((await events.next())!)).toMatchObject([updated("a")])
    bump(userId, "b")
    expect(messagesOf((await events.next())!)).toMatchObject([updated("b")])
    expect(await ask(key, session, "resources/unsubscribe", "test://counters/a")).toMatchObject({ result: {} })
    bump(userId, "a")
    bump(userId, "b")
    expect(messagesOf((await events.next())!)).toMatchObject([updated("b")])
  })

  it("tell of what changed while no stream was open, and once more to whoever missed it", async () => {
    const { key, session, userId } = await begin("2025-06-18")
    bump(userId, "a")
    await subscribe(key, session, "a")
    bump(userId, "a")
    const first = readEvents(await context().fetch("/mcp", {
      headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...session }
    }))
    const event = (await first.next())!
    expect(messagesOf(event)).toMatchObject([updated("a")])
    expect(event).toMatch(/^id: 1$/m)
    await first.close()
    const again = readEvents(await context().fetch("/mcp", {
      headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...session, "last-event-id": "0" }
    }))
    onTestFinished(() => again.close())
    expect(await again.next()).toBe(event)
    bump(userId, "a")
    expect(await again.next()).toMatch(/^id: 2$/m)
  })

  it("tell of the last change, and look no more", async () => {
    const { key, session, userId } = await begin()
    for (const name of ["a", "b"]) {
      bump(userId, name)
      await subscribe(key, session, name)
    }
    const events = await open(key, session)
    bump(userId, "a", { final: true })
    expect(messagesOf((await events.next())!)).toMatchObject([updated("a")])
    const looked = looks.get(`${userId} a`)
    bump(userId, "b")
    expect(messagesOf((await events.next())!)).toMatchObject([updated("b")])
    expect(looks.get(`${userId} a`)).toBe(looked)
  })

  it("are for what the caller finds, what can be watched, and a session", async () => {
    const { key, session, userId } = await begin()
    const stranger = await begin()
    bump(userId, "a")
    const codeOf = async (uri: string, as = { key, session }) =>
      (await ask(as.key, as.session, "resources/subscribe", uri)).error?.code
    expect(await codeOf("test://counters/a", stranger)).toBe(-32002)
    expect(await codeOf("test://counters/none")).toBe(-32002)
    expect(await codeOf("test://nothing")).toBe(-32002)
    expect(await codeOf("test://still/a")).toBe(-32602)
    expect(await codeOf("test://counters/a", { key, session: {} as never })).toBe(-32600)
    const long = "x".repeat(600)
    bump(userId, long)
    expect(await codeOf(`test://counters/${long}`)).toBe(-32602)
    expect(await codeOf("test://counters/a")).toBeUndefined()
  })

  it("are a hundred to a session, and end with it", async () => {
    const { key, session, userId } = await begin()
    for (let number = 0; number <= 100; number++) bump(userId, `n${number}`)
    for (let number = 0; number < 100; number++) await subscribe(key, session, `n${number}`)
    const { error } = await ask(key, session, "resources/subscribe", "test://counters/n100")
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("100") })
    await context().fetch("/mcp", { method: "DELETE", headers: { authorization: `Bearer ${key}`, ...session } })
    expect(context().database.mcpSubscriptions.size).toBeGreaterThan(0)
    expect(context().database.mcpSubscriptions.get(session["mcp-session-id"] as never)).toBeUndefined()
  })

  const listen = async (key: string, uris: ReadonlyArray<string>, more: object = {}) => {
    const message = modern("subscriptions/listen", { notifications: { resourceSubscriptions: uris, ...more } })
    const events = readEvents(await post(key, message, headersOf(message)))
    onTestFinished(() => events.close())
    return { ...events, message: async () => messagesOf((await events.next())!)[0]! as Answer & { params: Record<string, unknown> } }
  }

  it("are acknowledged under 2026-07-28 for what the caller finds, and tell of it alone", async () => {
    const [ann, bob] = [await context().addKey(), await context().addKey()]
    for (const name of ["a", "b"]) bump(ann.userId, name)
    bump(bob.userId, "bobs")
    const wanted = ["a", "bobs", "none", "b"].map((name) => `test://counters/${name}`)
    const events = await listen(ann.key, [...wanted, "test://still/a", "nonsense"], { toolsListChanged: true })
    const acknowledged = await events.message()
    expect(acknowledged).toMatchObject({ method: "notifications/subscriptions/acknowledged" })
    expect(acknowledged.params["notifications"]).toEqual({ resourceSubscriptions: [wanted[0], wanted[3]] })
    bump(bob.userId, "bobs")
    bump(ann.userId, "b")
    expect(await events.message()).toMatchObject({
      ...updated("b"),
      params: { ...updated("b").params, _meta: { "io.modelcontextprotocol/subscriptionId": 1 } }
    })
    bump(bob.userId, "a")
    bump(ann.userId, "a")
    expect(await events.message()).toMatchObject(updated("a"))
  })

  it("stop looking under 2026-07-28 when the stream is closed, or its credential ends", async () => {
    await expect.poll(() => followers.size).toBe(0)
    const person = await context().addKey()
    bump(person.userId, "a")
    const [left, revoked] = [await listen(person.key, ["test://counters/a"]), await listen(person.key, ["test://counters/a"])]
    await left.message()
    await revoked.message()
    await expect.poll(() => followers.size).toBe(2)
    await left.close()
    await expect.poll(() => followers.size).toBe(1)
    await context().runtime.runPromise(Effect.gen(function*() {
      yield* (yield* ApiKeyStore).revoke(person.organizationId, {}, person.id, yield* now)
    }))
    expect(await revoked.next()).toBeUndefined()
    await expect.poll(() => followers.size).toBe(0)
  })

  it("end under 2026-07-28 within a minute where the credential ends by time alone", async () => {
    const person = await context().addKey()
    bump(person.userId, "a")
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const listening = await listen(person.key, ["test://counters/a"])
    await listening.message()
    const { apiKeys } = context().database
    const row = apiKeys.get(person.id)!
    apiKeys.set(person.id, { ...row, key: { ...row.key, expiresAt: DateTime.makeUnsafe(0) } })
    vi.advanceTimersByTime(60_000)
    expect(await listening.next()).toBeUndefined()
  })
}, { resources: [counter, still] })

describeMatrix("subscriptions to runs", (context: () => MatrixContext) => {
  it("tell of each state, in every revision", async () => {
    const { key, organizationId, userId } = await context().addKey()
    const automation = await context().addAutomation()
    // The automation is somebody's else until it is moved to the key's organization.
    const { database } = context()
    const record = database.automations.get(automation.id)!
    const project = database.projects.get(record.automation.projectId)!
    database.projects.set(project.id, { ...project, organizationId })
    database.hosts.set(project.hostId, { id: project.hostId, organizationId, status: "online", maxConcurrentRuns: 1 } as never)
    database.automations.set(automation.id, { ...record, automation: { ...record.automation, organizationId, ownerId: userId } })
    const hook = await context().fetch(automation.path, { method: "POST", headers: { authorization: `Bearer ${automation.token}` } })
    const { runId } = await hook.json() as { readonly runId: string }
    const uri = `coppice://runs/${runId}`

    const began = await context().fetch("/mcp", send(key, initialize("2025-11-25")))
    const session = { "mcp-session-id": began.headers.get("mcp-session-id")! }
    await began.text()
    const subscribed = await context().fetch("/mcp", send(key, request("resources/subscribe", { uri }), session))
    expect(await subscribed.json()).toMatchObject({ result: {} })
    const stream = readEvents(await context().fetch("/mcp", {
      headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...session }
    }))
    const message = modern("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } })
    const listening = readEvents(await context().fetch("/mcp", send(key, message, headersOf(message))))
    onTestFinished(async () => void await Promise.all([stream.close(), listening.close()]))
    await Promise.all([stream.next(), listening.next()])
    await context().runtime.runPromise(
      Effect.flatMap(RunStore as never, (store: RunStore["Service"]) =>
        Effect.flatMap(now, (at) => store.cancel(organizationId, RunId.make(runId), at)))
    )
    for (const events of [stream, listening]) {
      expect(messagesOf((await events.next())!)).toMatchObject([{ method: "notifications/resources/updated", params: { uri } }])
    }
  })
}, { resources: resourceCatalog as never })
