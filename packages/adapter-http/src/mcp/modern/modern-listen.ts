import { type CurrentPrincipal, maxMcpSubscriptions, type McpSubscription } from "@coppice/core"
import { InMemoryServerEventBus } from "@modelcontextprotocol/server"
import { Effect, Predicate } from "effect"
import type { ResourceRequests } from "../resource-requests.ts"
import { watchResources } from "../resource-watch.ts"
import { resourceNotFound } from "./modern-server.ts"

export const isListen = (body: unknown): boolean => (body as { readonly method?: unknown }).method === "subscriptions/listen"

interface ListenBody {
  readonly params: { readonly notifications: { readonly resourceSubscriptions: ReadonlyArray<string> } }
}

const namesResources = (body: unknown): body is ListenBody => {
  const params = Predicate.hasProperty(body, "params") ? body.params : undefined
  const wanted = Predicate.hasProperty(params, "notifications") ? params.notifications : undefined
  const uris = Predicate.hasProperty(wanted, "resourceSubscriptions") ? wanted.resourceSubscriptions : undefined
  return Array.isArray(uris) && uris.every(Predicate.isString)
}

/** What a listening request comes to: the request as it can be honoured, and what then feeds it. */
export interface Listening<R> {
  readonly body: unknown
  readonly bus: InMemoryServerEventBus
  /** Never ends, unless there is nothing to look after. */
  readonly feed: Effect.Effect<void, never, R>
}

/**
 * Makes a request to listen ready. It keeps of the resources that it names those that the caller finds and that can be
 * watched: the SDK acknowledges the rest, and what nobody may read nobody is told of. Each request has a bus of its own,
 * because what is on it goes to one caller.
 */
export const prepareListen = Effect.fnUntraced(function*<R>(
  requests: ResourceRequests<R>,
  body: unknown
): Effect.fn.Return<Listening<R | CurrentPrincipal>, never, R | CurrentPrincipal> {
  const bus = new InMemoryServerEventBus()
  if (!namesResources(body)) return { body, bus, feed: Effect.void }
  const { notifications } = body.params
  const subscriptions: Array<McpSubscription> = []
  for (const uri of new Set(notifications.resourceSubscriptions.slice(0, maxMcpSubscriptions))) {
    const revision = yield* Effect.option(requests.revisionOf(uri, resourceNotFound))
    if (revision._tag === "Some") subscriptions.push({ uri, revision: revision.value })
  }
  const honoured = { ...notifications, resourceSubscriptions: subscriptions.map(({ uri }) => uri) }
  return {
    body: { ...body, params: { ...body.params, notifications: honoured } },
    bus,
    feed: watchResources(requests, subscriptions, ({ uri }) =>
      Effect.sync(() => bus.publish({ kind: "resource_updated", uri })))
  }
})
