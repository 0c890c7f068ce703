import { section } from "../requirement.ts"

export const mcpEndpoint = section("MCP endpoints", {
  "mcp.post-json": ["built", "POST /mcp with a JSON-RPC request answers 200 with a JSON-RPC response as application/json."],
  "mcp.post-event-stream": ["built", "With an Accept header that asks for it, the response is text/event-stream of JSON-RPC responses."],
  "mcp.post-401": ["built", "POST /mcp without a valid credential answers 401."],
  "mcp.post-429": ["built", "POST /mcp over the rate answers 429."],
  "mcp.alias-identical": ["built", "POST /api/v2/agent/mcp answers as POST /mcp does."],
  "mcp.default-bearer": ["built", "Every endpoint that is not marked public needs a Bearer credential."],
  "mcp.get-stream": ["built", "GET /mcp answers 200 text/event-stream with server-initiated messages of an existing session."],
  "mcp.get-session-header": ["built", "GET /mcp names its session by the Mcp-Session-Id header."],
  "mcp.get-401": ["built", "GET /mcp without a valid credential answers 401."],
  "mcp.get-description": ["built", "GET /mcp without Accept: text/event-stream returns a JSON description of the server."],
  "mcp.initialize": ["built", "The method initialize is served."],
  "mcp.tools-list": ["built", "The method tools/list enumerates the tools."],
  "mcp.tools-call": ["built", "The method tools/call, with name and arguments, runs a tool."],
  "mcp.tools-tasks": ["built", "Tools cover tasks."],
  "mcp.tools-workspaces": ["built", "Tools cover workspaces."],
  "mcp.tools-agent-sessions": ["open", "Tools cover coding-agent sessions."],
  "mcp.tools-terminals": ["open", "Tools cover terminals."],
  "mcp.tools-automations": ["built", "Tools cover automations."],
  "mcp.tools-hosts": ["built", "Tools cover hosts."],
  "mcp.tools-projects": ["built", "Tools cover projects."],
  "mcp.tools-members": ["built", "Tools cover organization members."],
  "mcp.removed-v1-public": ["built", "POST /api/agent/mcp is public and answers 410 to anything."],
  "mcp.removed-v1-hint": ["built", "Its 410 is an error envelope whose hint names the replacement endpoint."]
})

export const mcpErrors = section("Errors", {
  "mcp.missing-credential-401": ["built", "A missing credential answers 401 with the error envelope."],
  "mcp.expired-credential-401": ["built", "An expired credential answers 401 with the error envelope."],
  "mcp.revoked-credential-401": ["built", "A revoked credential answers 401 with the error envelope."],
  "mcp.401-code": ["built", "The envelope of a 401 has the code UNAUTHORIZED."],
  "mcp.401-www-authenticate": [
    "built",
    "A 401 has WWW-Authenticate: Bearer realm=\"<service_realm>\", resource_metadata=\"{base_url}/.well-known/oauth-protected-resource\"."
  ],
  "mcp.429-envelope": ["built", "More than 600 requests in 60 seconds per credential answer 429 with the error envelope."],
  "mcp.429-retry-after": ["built", "A 429 has Retry-After: whole seconds until the window resets."],
  "mcp.429-rate-limit-headers": ["built", "A 429 has the RateLimit headers."],
  "webhook.error-statuses": ["built", "Webhook errors are 400, 401, 413 and 429."]
})
