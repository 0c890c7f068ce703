import type { CurrentPrincipal } from "@coppice/core"
import { Effect } from "effect"
import type { HttpPorts } from "../app-options.ts"
import type { Refused } from "../errors/failure.ts"
import { legacyVersions } from "../mcp/legacy/legacy-version.ts"
import { makeStreamEndpoint } from "../mcp/stream-endpoint.ts"
import type { Call } from "../pipeline/call.ts"
import { json, type Reply } from "../reply.ts"
import type { ServiceOptions } from "../service-options.ts"
import { authenticationOf, documentPaths, serviceTexts } from "./service-texts.ts"

/** The revisions of MCP that are served, the newest first. */
const protocolVersions = ["2026-07-28", ...legacyVersions]

/** Whether a GET asks for a session's stream: it names event streams, and not only as one of all types. */
export const asksForStream = (request: Request): boolean =>
  (request.headers.get("accept") ?? "").split(",").some((range) =>
    /^\s*text\/event-stream\s*(?:;|$)/i.test(range) && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(range)
  )

/** What the MCP address answers to whoever looks at it: what the server is, and where its documents are. */
export const describeMcp = <R>({ version }: ServiceOptions<R>) => ({ base }: Call): Reply =>
  json(200, {
    ...serviceTexts,
    version,
    transport: "streamable-http",
    url: `${base}/mcp`,
    protocolVersions,
    serverCard: base + documentPaths.serverCard,
    openapi: base + documentPaths.openapi,
    documentation: base + documentPaths.guide,
    authentication: authenticationOf(base)
  }, { "cache-control": "no-store", vary: "accept" })

/** GET on the MCP address. */
export const mcpGet = <R>(service: ServiceOptions<R>) => {
  const describe = describeMcp(service)
  const stream = makeStreamEndpoint(service)
  return (call: Call): Effect.Effect<Reply, Refused, R | HttpPorts | CurrentPrincipal> =>
    call.request.method === "GET" && asksForStream(call.request) ? stream(call) : Effect.succeed(describe(call))
}
