import type { Limit } from "@coppice/core"
import type {
  McpQuestionStore,
  McpSessionStore,
  McpSubscriptionStore,
  WebhookInbox,
  WebhookRefusalStore
} from "@coppice/core/ports"
import type { Context } from "effect"
import type { OAuthPorts } from "./oauth/oauth-endpoints.ts"
import type { PagePorts } from "./pages/define-page.ts"
import type { PipelinePorts } from "./pipeline/handle-call.ts"
import type { ServiceOptions } from "./service-options.ts"

/** The ports that the endpoints need, whatever the tools need beside them. */
export type HttpPorts =
  | McpQuestionStore
  | McpSessionStore
  | McpSubscriptionStore
  | OAuthPorts
  | PagePorts
  | PipelinePorts
  | WebhookInbox
  | WebhookRefusalStore

type Required = "tools" | "version"

/** `R` is what the tools and `ready` need beyond the endpoints' own ports. */
export interface HttpAppOptions<R>
  extends Pick<ServiceOptions<R | HttpPorts>, Required>, Partial<Omit<ServiceOptions<R | HttpPorts>, Required | "stopping">>
{
  /** The ports, as a runtime or a layer built them: `yield* Effect.context<…>()`, or `await runtime.context()`. */
  readonly context: Context.Context<R | HttpPorts>
  /** The public address. Without one the service answers to loopback names only. */
  readonly baseUrl?: string
  /** Addresses or networks whose X-Forwarded-For or Forwarded names the client; none when left out. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** How often an address may present what is no credential before it is told to slow down; 120 in 60 seconds. */
  readonly failedCredentials?: Limit
}
