import { CurrentPrincipal } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { serveHttp } from "../src/index.ts"
import { makeService, testTool } from "./support/service.ts"

const whoami = testTool("whoami", () => Effect.map(CurrentPrincipal, ({ userId }) => ({ userId })))

it.each(["/mcp", "/api/v2/agent/mcp"])(
  verifies("service.initialize-list-call") + "the official client initializes, lists and calls at %s",
  async (path) => {
    const service = await makeService({ tools: [whoami] })
    const server = await serveHttp(service.app, { host: "127.0.0.1", port: 0 })
    const { key, userId } = await service.addKey()
    const client = new Client({ name: "test", version: "1" })
    const transport = new StreamableHTTPClientTransport(new URL(server.url + path), {
      requestInit: { headers: { authorization: `Bearer ${key}` } }
    })
    await client.connect(transport as never)
    expect(client.getServerVersion()).toMatchObject({ name: "coppice", version: "1.2.3" })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["whoami"])
    expect((await client.callTool({ name: "whoami" })).structuredContent).toEqual({ userId })
    await expect(client.callTool({ name: "nope" })).rejects.toThrow("Unknown tool")
    await client.ping()
    await client.close()
    await server.close()
  }
)
