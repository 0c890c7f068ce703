import { CurrentPrincipal, ToolProgress } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { serveHttp } from "../src/index.ts"
import { makeService, testTool } from "./support/service.ts"

const whoami = testTool("whoami", () => Effect.map(CurrentPrincipal, ({ userId }) => ({ userId })))
const steps = testTool("steps", () =>
  Effect.gen(function*() {
    const report = yield* ToolProgress
    for (const progress of [1, 2, 3]) yield* report({ progress, total: 3 })
    return { steps: 3 }
  }))

const oldClient = async (url: URL, headers: Record<string, string>) => {
  const client = new Client({ name: "test", version: "1" })
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  await client.connect(transport as never)
  return {
    client,
    // The last tells the server that the session is over, as a client that ends does.
    close: () => transport.terminateSession().then(() => client.close())
  }
}

const newClient = (mode: "legacy" | "auto" | { readonly pin: string }) => async (url: URL, headers: Record<string, string>) => {
  const client = new NewClient({ name: "test", version: "1" }, { versionNegotiation: { mode } })
  const transport = new NewTransport(url, { requestInit: { headers } })
  await client.connect(transport)
  return { client: client as unknown as Client, close: () => transport.terminateSession().then(() => client.close()) }
}

describe.each([
  ["the client of SDK 1", oldClient],
  ["the client of SDK 2 as before", newClient("legacy")],
  ["the client of SDK 2 as it finds the server", newClient("auto")],
  ["the client of SDK 2 with 2026-07-28", newClient({ pin: "2026-07-28" })]
])("%s", (_, connect) => {
  it.each(["/mcp", "/api/v2/agent/mcp"])(
    verifies("service.initialize-list-call") + "initializes, lists, calls, hears of progress and ends at %s",
    async (path) => {
      const service = await makeService({ tools: [whoami, steps], instructions: "Be kind." })
      const server = await serveHttp(service.app, { host: "127.0.0.1", port: 0 })
      const { key, userId } = await service.addKey()
      const { client, close } = await connect(new URL(server.url + path), { authorization: `Bearer ${key}` })
      expect(client.getServerVersion()).toMatchObject({ name: "coppice", version: "1.2.3" })
      expect(client.getInstructions()).toBe("Be kind.")
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["whoami", "steps"])
      expect((await client.callTool({ name: "whoami" })).structuredContent).toEqual({ userId })
      await expect(client.callTool({ name: "nope" })).rejects.toThrow("Unknown tool")
      const heard: Array<number> = []
      const onprogress = ({ progress }: { readonly progress: number }) => void heard.push(progress)
      const options: { onprogress: typeof onprogress } = { onprogress }
      const result = _.includes("SDK 1")
        ? await client.callTool({ name: "steps" }, undefined, options)
        : await (client as unknown as NewClient).callTool({ name: "steps" }, options)
      expect(result.structuredContent).toEqual({ steps: 3 })
      expect(heard).toEqual([1, 2, 3])
      await close()
      expect(service.database.mcpSessions.size).toBe(0)
      await server.close()
    }
  )
})
