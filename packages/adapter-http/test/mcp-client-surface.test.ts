// What the official clients do with resources, subscriptions and questions.
import { defineTool, type Resource } from "@coppice/core"
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Queue, Schema, Stream } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/index.ts"
import { makeService } from "./support/service.ts"

/** A counter that all see, and a tool that erases it. */
const makeCounter = () => {
  const state = { count: 0, erased: 0 }
  const followers = new Set<() => void>()
  const resource: Resource = {
    uri: "test://counter",
    name: "counter",
    title: "Counter",
    description: "A counter.",
    mimeType: "text/plain",
    read: () => Effect.sync(() => String(state.count)),
    watch: {
      revision: () => Effect.sync(() => ({ revision: String(state.count), final: false })),
      changes: Stream.callback((changes) =>
        Effect.sync(() => void followers.add(() => void Queue.offerUnsafe(changes, undefined)))
      )
    }
  }
  const tool = defineTool({
    name: "counter_erase",
    title: "Erase the counter",
    description: "Erases it.",
    effects: "destroys",
    input: {},
    output: { erased: Schema.Boolean },
    run: () => Effect.sync(() => (state.erased++, { erased: true }))
  })
  const bump = () => {
    state.count++
    for (const follower of followers) follower()
  }
  return { resource, tool, state, bump }
}

type Decide = () => "accept" | "decline" | "cancel"

/** What a test does with a client, whichever it is. */
interface Connected {
  readonly client: Client
  readonly follow: (uri: string, hear: (uri: string) => void) => Promise<void>
}

const oldClient = async (url: URL, headers: Record<string, string>, decide: Decide): Promise<Connected> => {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: decide(), content: {} }))
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never)
  return {
    client,
    follow: async (uri, hear) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear(params.uri))
      await client.subscribeResource({ uri })
    }
  }
}

const newClient = (mode: "legacy" | { readonly pin: string }) =>
async (url: URL, headers: Record<string, string>, decide: Decide): Promise<Connected> => {
  const client = new NewClient({ name: "test", version: "1" }, {
    versionNegotiation: { mode },
    capabilities: { elicitation: { form: {} } }
  })
  client.setRequestHandler("elicitation/create", async () => ({ action: decide(), content: {} }))
  await client.connect(new NewTransport(url, { requestInit: { headers } }))
  return {
    client: client as unknown as Client,
    follow: async (uri, hear) => {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => hear(params.uri))
      if (mode === "legacy") await client.subscribeResource({ uri })
      else await client.listen({ resourceSubscriptions: [uri] })
    }
  }
}

describe.each([
  ["the client of SDK 1", oldClient],
  ["the client of SDK 2 as before", newClient("legacy")],
  ["the client of SDK 2 with 2026-07-28", newClient({ pin: "2026-07-28" })]
])("%s", (_, connect) => {
  const begin = async (decide: Decide = () => "accept") => {
    const counter = makeCounter()
    const service = await makeService({ resources: [counter.resource], tools: [counter.tool as never] })
    const server = await serveHttp(service.app, { host: "127.0.0.1", port: 0 })
    const { key } = await service.addKey()
    const connected = await connect(new URL(`${server.url}/mcp`), { authorization: `Bearer ${key}` }, decide)
    onTestFinished(async () => {
      await connected.client.close()
      await server.close({ graceMillis: 100 })
      await service.runtime.dispose()
    })
    return { ...counter, ...connected }
  }

  it("lists resources, reads one, and is told why it cannot read another", async () => {
    const { client } = await begin()
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["test://counter"])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
    expect((await client.readResource({ uri: "test://counter" })).contents).toMatchObject([{ text: "0" }])
    await expect(client.readResource({ uri: "test://nothing" })).rejects.toThrow("Resource not found: test://nothing")
  })

  it("hears of a change of what it subscribed to", async () => {
    const { bump, follow } = await begin()
    const heard = await new Promise((resolve, reject) => {
      follow("test://counter", resolve).then(bump, reject)
    })
    expect(heard).toBe("test://counter")
  })

  it("puts the question to the person, and what they say is done", async () => {
    let decision: ReturnType<Decide> = "decline"
    const { client, state } = await begin(() => decision)
    const call = () => client.callTool({ name: "counter_erase", arguments: {} })
    expect(await call()).toMatchObject({ isError: true, structuredContent: { error: { code: "FORBIDDEN" } } })
    expect(state.erased).toBe(0)
    decision = "accept"
    expect((await call()).structuredContent).toEqual({ erased: true })
    expect(state.erased).toBe(1)
  })
})
