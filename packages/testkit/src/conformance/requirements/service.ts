import { section } from "../requirement.ts"

export const service = section("What the service does", {
  "service.mcp-is-primary-surface": ["built", "An MCP server over Streamable HTTP is served at /mcp."],
  "service.mcp-alias": ["built", "The same MCP server is served at /api/v2/agent/mcp."],
  "service.tools-act-on-nouns": [
    "open",
    "Tools act on tasks, workspaces, coding-agent sessions, terminals, automations, hosts, projects and members."
  ],
  "service.initialize-list-call": ["built", "A client sends initialize, then tools/list, then tools/call."],
  "service.webhook-starts-one-run": ["built", "Each POST to an automation's webhook URL starts one run."],
  "service.webhook-body-in-prompt": ["built", "The webhook's JSON body is placed into the agent's prompt."],
  "service.parallel-isolated-worktrees": ["open", "Coding agents run in parallel, each in an isolated Git worktree."],
  "service.oauth-or-api-key": ["built", "Authentication is OAuth 2.1, or a user-issued API key sent as a Bearer token."],
  "service.metadata-published": [
    "built",
    "OpenAPI 3.1, RFC 9728 and RFC 8414 metadata and an MCP server card are published."
  ]
})
