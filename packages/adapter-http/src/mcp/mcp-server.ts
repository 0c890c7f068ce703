import type { CurrentPrincipal } from "@coppice/core"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  type InitializeResult,
  ListToolsRequestSchema,
  type ListToolsResult
} from "@modelcontextprotocol/sdk/types.js"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js"
import { type Context, Effect } from "effect"
import { RpcFailure, rpcCode } from "../errors/json-rpc-error.ts"
import type { ServiceOptions } from "../service-options.ts"
import { callTool } from "./call-tool.ts"

/** The revisions that are served, the newest first. */
export const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const

const isServed = (version: string): boolean => (protocolVersions as ReadonlyArray<string>).includes(version)

// Making one costs more than serving a request, and every server would make its own.
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** Makes the SDK's server for one request; all that outlives a request is in the closure. */
export const makeMcpServer = <R>({ instructions, isOutage, tools, version }: ServiceOptions<R>) => {
  const serverInfo = { name: "coppice", title: "Coppice", version }
  const capabilities = { tools: {} }
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const described = tools.map(({ annotations, description, inputSchema, name, outputSchema, title, toolset }) => ({
    toolset,
    tool: { name, title, description, inputSchema, outputSchema, annotations }
  }))

  /** One page: everything, or what is in the toolsets that the address asks for. */
  const listTools = (toolsets: ReadonlySet<string>) => ({
    tools: described.filter(({ toolset }) => toolsets.size === 0 || toolsets.has(toolset)).map(({ tool }) => tool)
  } as unknown as ListToolsResult)

  return (context: Context.Context<R | CurrentPrincipal>, toolsets: ReadonlySet<string>): Server => {
    const server = new Server(serverInfo, { capabilities, jsonSchemaValidator })
    // The SDK's own handler would also agree to revisions that are not served here.
    server.setRequestHandler(InitializeRequestSchema, ({ params }): InitializeResult => ({
      protocolVersion: isServed(params.protocolVersion) ? params.protocolVersion : protocolVersions[0],
      capabilities,
      serverInfo,
      ...(instructions === "" ? undefined : { instructions })
    }))
    server.setRequestHandler(ListToolsRequestSchema, () => listTools(toolsets))
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
      const tool = byName.get(params.name)
      if (tool === undefined) throw new RpcFailure(rpcCode.invalidParams, `Unknown tool: ${params.name}`)
      return Effect.runPromiseWith(context)(callTool(tool, params.arguments ?? {}, isOutage), { signal })
    })
    return server
  }
}
