import { type CurrentPrincipal, type McpSession, subscribeMcpSession, unsubscribeMcpSession } from "@coppice/core"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  ListResourcesRequestSchema,
  type ListResourcesResult,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { type Context, Effect } from "effect"
import type { HttpPorts } from "../../app-options.ts"
import { RpcFailure, rpcCode } from "../../errors/json-rpc-error.ts"
import type { ResourceRequests } from "../resource-requests.ts"

export const resourceNotFound = (uri: string): RpcFailure =>
  new RpcFailure(rpcCode.resourceNotFound, `Resource not found: ${uri}`, { uri })

/** Has a server answer for the resources. */
export const serveResources = <R>(
  server: Server,
  requests: ResourceRequests<R>,
  context: Context.Context<R | HttpPorts | CurrentPrincipal>,
  session: McpSession | undefined
): void => {
  const run = <A>(effect: Effect.Effect<A, RpcFailure, R | HttpPorts | CurrentPrincipal>, signal: AbortSignal): Promise<A> =>
    Effect.runPromiseWith(context)(effect, { signal })
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: requests.templates }))
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, { signal }) =>
    run(requests.list(params?.cursor) as Effect.Effect<ListResourcesResult, RpcFailure, R | CurrentPrincipal>, signal))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, { signal }) =>
    run(requests.read(params.uri, resourceNotFound), signal))
  if (!requests.someWatched) return
  const inSession = () => {
    if (session === undefined) throw new RpcFailure(rpcCode.invalidRequest, "A subscription needs a session: begin one with initialize.")
    return session
  }
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }, { signal }) => {
    const subscriber = inSession()
    const subscribe = Effect.flatMap(requests.revisionOf(uri, resourceNotFound), (revision) =>
      requests.guarded(subscribeMcpSession(subscriber, uri, revision)))
    return run(Effect.as(subscribe, {}), signal)
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }, { signal }) =>
    run(Effect.as(unsubscribeMcpSession(inSession(), uri), {}), signal))
}
