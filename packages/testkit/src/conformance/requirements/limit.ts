import { section } from "../requirement.ts"

export const events = section("Events", {
  "event.one-run-per-post": ["built", "Each accepted webhook POST starts one run, with the body available to the agent's prompt."],
  "event.get-stream-messages": ["built", "The MCP GET stream carries server-initiated messages of an existing session."],
  "event.post-as-events": ["built", "POST responses may be server-sent events, each carrying one JSON-RPC response."]
})

export const limits = section("Limits", {
  "limit.mcp-600-per-60-seconds": ["built", "A credential has 600 requests in 60 seconds on POST /mcp and POST /api/v2/agent/mcp."],
  "limit.header-limit": ["built", "Successful MCP responses have RateLimit-Limit: 600."],
  "limit.header-remaining": ["built", "Successful MCP responses have RateLimit-Remaining, an integer."],
  "limit.header-reset": ["built", "Successful MCP responses have RateLimit-Reset: whole seconds to the window's reset."],
  "limit.header-policy": ["built", "Successful MCP responses have RateLimit-Policy: 600;w=60."],
  "limit.headers-on-429": ["built", "A 429 has the same four headers."],
  "limit.retry-after-on-429": ["built", "A 429 has Retry-After: whole seconds until the window resets."],
  "limit.access-token-3600-seconds": ["built", "An access token lives 3600 seconds."],
  "limit.webhook-body-1-mib": ["built", "A webhook's body is at most 1 MiB."],
  "limit.webhook-300-per-minute": ["built", "A webhook has 300 requests per minute."],
  "limit.deprecation-90-days": ["built", "Deprecated surfaces are served for at least 90 days before removal."]
})

export const versioning = section("Versioning", {
  "version.in-path": ["built", "The version is in the path: v2 is served at /mcp and /api/v2/agent/mcp."],
  "version.new-path-for-breaking-changes": ["open", "Breaking changes ship under a new path version."],
  "version.deprecation-header": ["built", "Deprecated surfaces return a Deprecation header, and are announced in the changelog."],
  "version.removed-410": ["built", "Removed surfaces return 410 with a hint that names the replacement."],
  "version.v1-removed": ["built", "The v1 MCP server at /api/agent/mcp is removed and returns 410."],
  "version.openapi-document": ["built", "The OpenAPI document declares its own version 1.0.0 and OpenAPI 3.1.0."]
})
