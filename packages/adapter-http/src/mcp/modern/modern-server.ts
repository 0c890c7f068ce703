import type { CurrentPrincipal } from "@coppice/core"
import {
  type CallToolResult,
  type GetPromptResult,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListToolsResult,
  Server
} from "@modelcontextprotocol/server"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv"
import { type Context, Effect } from "effect"
import { RpcFailure, rpcCode } from "../../errors/json-rpc-error.ts"
import type { AnswerForm } from "../accept.ts"
import { callTool } from "../call-tool.ts"
import { withQuestions } from "./ask-person.ts"
import type { Surface } from "../surface.ts"

/** What a server for one request is made of. */
export interface ModernCall<R> {
  readonly context: Context.Context<R | CurrentPrincipal>
  readonly form: AnswerForm
  readonly toolsets: ReadonlySet<string>
}

// Making one costs more than serving a request, and every server would make its own.
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** The same for everybody, and until the next version is started. */
const cacheHint = { ttlMs: 5 * 60 * 1000, cacheScope: "public" } as const

const cacheHints = {
  "tools/list": cacheHint,
  "prompts/list": cacheHint,
  "server/discover": cacheHint,
  "resources/templates/list": cacheHint
}

/** Invalid params, and that address as their only data, is how this revision says it. */
export const resourceNotFound = (uri: string): RpcFailure =>
  new RpcFailure(rpcCode.invalidParams, `Resource not found: ${uri}`, { uri })

/** Makes the SDK's server for one request of 2026-07-28. */
export const makeModernServer = <R>(surface: Surface<R>, isOutage: (defect: unknown) => boolean) => {
  const { instructions, prompts, resources, serverInfo } = surface
  return ({ context, form, toolsets }: ModernCall<R>): Server => {
    const server = new Server(serverInfo, {
      capabilities: { tools: {}, ...prompts.capability, ...resources.capability },
      cacheHints,
      jsonSchemaValidator,
      ...(instructions === "" ? undefined : { instructions })
    })
    server.setRequestHandler(
      "tools/list",
      () => ({ tools: surface.describeTools(toolsets) }) as unknown as ListToolsResult
    )
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
      const { _meta, notify, signal } = mcpReq
      const tool = surface.tool(params.name)
      if (tool === undefined) throw new RpcFailure(rpcCode.invalidParams, `Unknown tool: ${params.name}`)
      const call = {
        args: params.arguments ?? {},
        signal,
        // A message would make a stream of an answer that may only be JSON.
        progressToken: form === "json" ? undefined : _meta?.progressToken,
        notify
      }
      const answered = callTool(tool, call, isOutage).pipe(withQuestions(mcpReq, ["tools/call", params.name, call.args]))
      return Effect.runPromiseWith(context)(answered, { signal }) as Promise<CallToolResult>
    })
    if ("prompts" in prompts.capability) {
      server.setRequestHandler("prompts/list", () => ({ prompts: prompts.described }) as unknown as ListPromptsResult)
      server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
        const { arguments: args, name } = params
        const answered = prompts.get(name, args).pipe(withQuestions(mcpReq, ["prompts/get", name, args]))
        return Effect.runPromiseWith(context)(answered, { signal: mcpReq.signal }) as Promise<GetPromptResult>
      })
    }
    if (resources.some) {
      server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: resources.templates }))
      server.setRequestHandler("resources/list", ({ params }, { mcpReq: { signal } }) =>
        Effect.runPromiseWith(context)(resources.list(params?.cursor), { signal }) as Promise<ListResourcesResult>)
      server.setRequestHandler("resources/read", ({ params }, { mcpReq: { signal } }) =>
        Effect.runPromiseWith(context)(resources.read(params.uri, resourceNotFound), { signal }))
    }
    return server
  }
}
