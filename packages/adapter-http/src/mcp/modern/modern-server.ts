import { AskPerson, credentialOf, CurrentPrincipal } from "@coppice/core"
import { type CallToolResult, CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, type ListResourcesResult, type ListToolsResult, Server } from "@modelcontextprotocol/server"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv"
import { Context, Effect } from "effect"
import { RpcFailure, rpcCode } from "../../errors/json-rpc-error.ts"
import type { AnswerForm } from "../accept.ts"
import { callTool } from "../call-tool.ts"
import { questionsOf } from "./ask-person.ts"
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

type Envelope = { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined

/** Whether a client can have a person fill in a form; where it names no way, that is the one. */
const elicits = (capabilities: ClientCapabilities | undefined): boolean => {
  const elicitation = capabilities?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** Invalid params, and that address as their only data, is how this revision says it. */
export const resourceNotFound = (uri: string): RpcFailure =>
  new RpcFailure(rpcCode.invalidParams, `Resource not found: ${uri}`, { uri })

/** Makes the SDK's server for one request of 2026-07-28. */
export const makeModernServer = <R>(surface: Surface<R>, isOutage: (defect: unknown) => boolean) => {
  const { instructions, resources, serverInfo } = surface
  return ({ context, form, toolsets }: ModernCall<R>): Server => {
    const server = new Server(serverInfo, {
      capabilities: { tools: {}, ...resources.capability },
      cacheHints: { "tools/list": cacheHint, "server/discover": cacheHint, "resources/templates/list": cacheHint },
      jsonSchemaValidator,
      ...(instructions === "" ? undefined : { instructions })
    })
    server.setRequestHandler(
      "tools/list",
      () => ({ tools: surface.describeTools(toolsets) }) as unknown as ListToolsResult
    )
    server.setRequestHandler("tools/call", ({ params }, { mcpReq: { _meta, envelope, inputResponses, notify, requestState, signal } }) => {
      const tool = surface.tool(params.name)
      if (tool === undefined) throw new RpcFailure(rpcCode.invalidParams, `Unknown tool: ${params.name}`)
      const call = {
        args: params.arguments ?? {},
        signal,
        // A message would make a stream of an answer that may only be JSON.
        progressToken: form === "json" ? undefined : _meta?.progressToken,
        notify
      }
      const principal = Context.get(context as Context.Context<CurrentPrincipal>, CurrentPrincipal)
      const questions = questionsOf({ ...principal, credential: credentialOf(principal) }, {
        name: params.name,
        args: call.args,
        responses: inputResponses,
        state: requestState()
      })
      const answered = callTool(tool, call, isOutage).pipe(
        Effect.catch((awaited) => Effect.succeed(questions.inputRequired(awaited))),
        (result) => elicits((envelope as Envelope)?.[CLIENT_CAPABILITIES_META_KEY]) ? Effect.provideService(result, AskPerson, questions.ask) : result
      ) as Effect.Effect<CallToolResult, never, R>
      return Effect.runPromiseWith(context)(answered, { signal })
    })
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
