import { type CurrentPrincipal, type McpSession, setMcpLogLevel } from "@coppice/core"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  CallToolRequestSchema,
  type CallToolResult,
  InitializeRequestSchema,
  type InitializeResult,
  ListToolsRequestSchema,
  type ListToolsResult,
  type ServerNotification,
  SetLevelRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js"
import { type Context, Effect } from "effect"
import type { HttpPorts } from "../../app-options.ts"
import { RpcFailure, rpcCode } from "../../errors/json-rpc-error.ts"
import { callTool } from "../call-tool.ts"
import type { Surface } from "../surface.ts"
import { servePrompts } from "./prompt-handlers.ts"
import { serveResources } from "./resource-handlers.ts"
import { isServed, legacyVersions } from "./legacy-version.ts"

// Making one costs more than serving a request, and every server would make its own.
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** What a server for one request is made of. */
export interface LegacyCall<R> {
  readonly context: Context.Context<R | HttpPorts | CurrentPrincipal>
  readonly session: McpSession | undefined
  readonly toolsets: ReadonlySet<string>
}

/** Makes the SDK's server for one request; all that outlives a request is in the closure. */
export const makeLegacyServer = <R>(surface: Surface<R>, isOutage: (defect: unknown) => boolean) => {
  const { instructions, serverInfo } = surface
  const capabilities = { tools: {}, logging: {}, ...surface.prompts.capability, ...surface.resources.capability }
  return ({ context, session, toolsets }: LegacyCall<R>): Server => {
    const server = new Server(serverInfo, { capabilities, jsonSchemaValidator })
    // The SDK's own handler would also agree to revisions that are not served here.
    server.setRequestHandler(InitializeRequestSchema, ({ params }): InitializeResult => ({
      protocolVersion: isServed(params.protocolVersion) ? params.protocolVersion : legacyVersions[0],
      capabilities,
      serverInfo,
      ...(instructions === "" ? undefined : { instructions })
    }))
    server.setRequestHandler(
      ListToolsRequestSchema,
      () => ({ tools: surface.describeTools(toolsets) }) as unknown as ListToolsResult
    )
    if ("prompts" in capabilities) servePrompts(server, surface.prompts, context)
    if (surface.resources.some) serveResources(server, surface.resources, context, session)
    // Without a session there is nowhere to send a message to, whatever its severity.
    server.setRequestHandler(SetLevelRequestSchema, async ({ params }) => {
      if (session !== undefined) await Effect.runPromiseWith(context)(setMcpLogLevel(session.id, params.level))
      return {}
    })
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { _meta, sendNotification, signal }) => {
      const tool = surface.tool(params.name)
      if (tool === undefined) throw new RpcFailure(rpcCode.invalidParams, `Unknown tool: ${params.name}`)
      const call = {
        args: params.arguments ?? {},
        signal,
        progressToken: _meta?.progressToken,
        notify: (notification: object) => sendNotification(notification as ServerNotification)
      }
      // In a session a call waits for its answers.
      const result = Effect.orDie(callTool(tool, call, isOutage)) as Effect.Effect<CallToolResult, never, R>
      return Effect.runPromiseWith(context)(result, { signal })
    })
    return server
  }
}
