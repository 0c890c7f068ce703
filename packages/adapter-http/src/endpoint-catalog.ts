import { maxPayloadBytes, mcpLimit, webhookLimit } from "@coppice/core"
import type { HttpPorts } from "./app-options.ts"
import { defineEndpoint, type Endpoint } from "./endpoint.ts"
import { healthz, readyz } from "./health/health-endpoints.ts"
import { endSessionEndpoint } from "./mcp/end-session-endpoint.ts"
import { makePostEndpoint, maxMessageBytes } from "./mcp/post-endpoint.ts"
import type { ServiceOptions } from "./service-options.ts"
import { webhookEndpoint } from "./webhook/webhook-endpoint.ts"

/** Every address that the service answers at, and what holds there. All that clients can read is computed from it. */
export const endpointCatalog = <R>(service: ServiceOptions<R>): ReadonlyArray<Endpoint<R | HttpPorts>> => {
  const define = defineEndpoint<R | HttpPorts>
  return [
    define({
      id: "mcp",
      method: "POST",
      paths: ["/mcp", "/api/v2/agent/mcp"],
      security: "bearer",
      cors: "open",
      limit: mcpLimit,
      maxBodyBytes: maxMessageBytes,
      handle: makePostEndpoint(service)
    }),
    define({
      id: "mcp-session-end",
      method: "DELETE",
      paths: ["/mcp", "/api/v2/agent/mcp"],
      security: "bearer",
      cors: "open",
      handle: endSessionEndpoint
    }),
    define({ id: "mcp-v1", paths: ["/api/agent/mcp"], security: "public", removed: { replacement: "/mcp" } }),
    define({
      id: "webhook",
      method: "POST",
      paths: ["/api/automations/webhook/:automationId"],
      security: "webhook",
      limit: webhookLimit,
      maxBodyBytes: maxPayloadBytes,
      handle: webhookEndpoint
    }),
    define({ id: "healthz", method: "GET", paths: ["/healthz"], security: "public", handle: healthz }),
    define({ id: "readyz", method: "GET", paths: ["/readyz"], security: "public", handle: readyz(service.ready) })
  ]
}
