import { maxPayloadBytes, mcpLimit, resourcePaths, webhookLimit } from "@coppice/core"
import type { HttpPorts } from "./app-options.ts"
import { documentHandler, jsonDocumentHandler } from "./discovery/document.ts"
import { authGuide } from "./discovery/auth-guide.ts"
import { authorizationServer } from "./discovery/authorization-server.ts"
import { authGuideDocs, authorizationServerDocs, guideDocs, openapiDocs, protectedResourceDocs, serverCardDocs } from "./discovery/document-docs.ts"
import { guide } from "./discovery/guide.ts"
import { mcpGet } from "./discovery/mcp-description.ts"
import { mcpDeleteDocs, mcpGetDocs, mcpPostDocs, mcpV1Docs } from "./discovery/mcp-docs.ts"
import { openapiDocument } from "./discovery/openapi.ts"
import { protectedResource } from "./discovery/protected-resource.ts"
import { serverCard } from "./discovery/server-card.ts"
import { documentPaths } from "./discovery/service-texts.ts"
import { defineEndpoint, type Endpoint } from "./endpoint.ts"
import { healthz, readyz } from "./health/health-endpoints.ts"
import { healthzDocs, readyzDocs } from "./health/health-docs.ts"
import { endSessionEndpoint } from "./mcp/end-session-endpoint.ts"
import { makePostEndpoint, maxMessageBytes } from "./mcp/post-endpoint.ts"
import { oauthEndpoints } from "./oauth/oauth-endpoints.ts"
import { assets } from "./pages/assets.ts"
import { pageCatalog } from "./pages/page-catalog.ts"
import type { ServiceOptions } from "./service-options.ts"
import { webhookDocs } from "./webhook/webhook-docs.ts"
import { webhookEndpoint } from "./webhook/webhook-endpoint.ts"

/** Every address that the service answers at, and what holds there. All that clients can read is computed from it. */
export const endpointCatalog = <R>(service: ServiceOptions<R>): ReadonlyArray<Endpoint<R | HttpPorts>> => {
  const define = defineEndpoint<R | HttpPorts>
  const catalog: ReadonlyArray<Endpoint<R | HttpPorts>> = [
    define({
      id: "mcp",
      method: "POST",
      paths: ["/mcp", "/api/v2/agent/mcp"],
      security: "bearer",
      cors: "open",
      docs: mcpPostDocs,
      limit: mcpLimit,
      maxBodyBytes: maxMessageBytes,
      handle: makePostEndpoint(service)
    }),
    define({
      id: "mcp-description",
      method: "GET",
      paths: ["/mcp", "/api/v2/agent/mcp"],
      security: "bearer",
      cors: "open",
      docs: mcpGetDocs,
      handle: mcpGet(service)
    }),
    define({
      id: "mcp-session-end",
      method: "DELETE",
      paths: ["/mcp", "/api/v2/agent/mcp"],
      security: "bearer",
      cors: "open",
      docs: mcpDeleteDocs,
      handle: endSessionEndpoint
    }),
    define({
      id: "mcp-v1",
      paths: ["/api/agent/mcp"],
      security: "public",
      docs: mcpV1Docs,
      removed: { replacement: "/mcp", served: "never" }
    }),
    define({
      id: "webhook",
      method: "POST",
      paths: ["/api/automations/webhook/:automationId"],
      security: "webhook",
      docs: webhookDocs,
      limit: webhookLimit,
      maxBodyBytes: maxPayloadBytes,
      handle: webhookEndpoint
    }),
    ...oauthEndpoints(service),
    define({
      id: "authorization-server",
      method: "GET",
      paths: [documentPaths.authorizationServer, documentPaths.openIdProvider],
      security: "public",
      cors: "open",
      docs: authorizationServerDocs,
      handle: jsonDocumentHandler(authorizationServer)
    }),
    // A client may look for the metadata of the very address that it was given (RFC 9728 section 3.1).
    ...["", ...resourcePaths].map((path) =>
      define({
        id: `protected-resource${path.replaceAll("/", "-")}`,
        method: "GET",
        paths: [documentPaths.protectedResource + path],
        security: "public",
        cors: "open",
        docs: protectedResourceDocs,
        handle: jsonDocumentHandler(protectedResource(path))
      })
    ),
    define({
      id: "auth-guide",
      method: "GET",
      paths: [documentPaths.authGuide],
      security: "public",
      cors: "open",
      docs: authGuideDocs,
      handle: documentHandler("text/markdown; charset=utf-8", authGuide)
    }),
    define({
      id: "server-card",
      method: "GET",
      paths: [documentPaths.serverCard],
      security: "public",
      cors: "open",
      docs: serverCardDocs,
      handle: jsonDocumentHandler(serverCard(service))
    }),
    define({
      id: "openapi",
      method: "GET",
      paths: [documentPaths.openapi],
      security: "public",
      cors: "open",
      docs: openapiDocs,
      handle: jsonDocumentHandler((base) => openapiDocument(catalog, base))
    }),
    define({
      id: "guide",
      method: "GET",
      paths: [documentPaths.guide],
      security: "public",
      cors: "open",
      docs: guideDocs,
      handle: documentHandler("text/markdown; charset=utf-8", (base) => guide(catalog, service, base))
    }),
    define({ id: "healthz", method: "GET", paths: ["/healthz"], security: "public", docs: healthzDocs, handle: healthz }),
    define({
      id: "readyz",
      method: "GET",
      paths: ["/readyz"],
      security: "public",
      docs: readyzDocs,
      handle: readyz(service.ready)
    }),
    ...assets,
    ...pageCatalog(service)
  ]
  return catalog
}
