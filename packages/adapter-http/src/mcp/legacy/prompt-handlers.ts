import type { CurrentPrincipal } from "@coppice/core"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  GetPromptRequestSchema,
  type GetPromptResult,
  ListPromptsRequestSchema,
  type ListPromptsResult
} from "@modelcontextprotocol/sdk/types.js"
import { type Context, Effect } from "effect"
import type { HttpPorts } from "../../app-options.ts"
import type { PromptRequests } from "../prompt-requests.ts"

/** Has a server answer for the prompts. */
export const servePrompts = <R>(
  server: Server,
  requests: PromptRequests<R>,
  context: Context.Context<R | HttpPorts | CurrentPrincipal>
): void => {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: requests.described }) as unknown as ListPromptsResult)
  server.setRequestHandler(GetPromptRequestSchema, ({ params }, { signal }) =>
    Effect.runPromiseWith(context)(requests.get(params.name, params.arguments), { signal }) as Promise<GetPromptResult>)
}
