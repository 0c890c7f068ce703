// The official SDK 1 as its documentation has a stateless server, with JSON answers: a server for each request.
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { addTools } from "./sdk-tools.ts"

const getServer = () => {
  const server = new McpServer({ name: "bench", version: "1" })
  addTools((name, config, call) => void server.registerTool(name, config, call))
  return server
}

const app = createMcpExpressApp()
app.post("/mcp", async (request: IncomingMessage & { readonly body: unknown }, response: ServerResponse) => {
  const server = getServer()
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport as never)
  await transport.handleRequest(request, response, request.body)
  response.on("close", () => {
    void transport.close()
    void server.close()
  })
})
const server = app.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })))
process.once("SIGTERM", () => process.exit(0))
