// The official SDK 2 as its documentation serves 2026-07-28: its handler makes a server for each request.
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"
import { H3, serve } from "h3"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { addTools } from "./sdk-tools.ts"

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bench", version: "1" })
  addTools((name, config, call) => void server.registerTool(name, config, call))
  return server
})

const app = new H3()
app.all("/mcp", (event) => handler.fetch(event.req))
const server = serve(app, { hostname: "127.0.0.1", port: 0, silent: true, gracefulShutdown: false })
await server.ready()
const { port } = (server.node!.server as Server).address() as AddressInfo
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
process.once("SIGTERM", () => process.exit(0))
