import { classifyInboundRequest } from "@modelcontextprotocol/server"

/**
 * Whether a request is of a revision without `initialize`: it says so in its body or in its header. What is no JSON-RPC
 * message is of none, and the older way tells best what is wrong with it.
 */
export const isModern = ({ headers }: Request, body: unknown): boolean => {
  const header = (name: string) => headers.get(name) ?? undefined
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = ["mcp-protocol-version", "mcp-method", "mcp-name"].map(header)
  const outcome = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(protocolVersionHeader === undefined ? {} : { protocolVersionHeader }),
    ...(mcpMethodHeader === undefined ? {} : { mcpMethodHeader }),
    ...(mcpNameHeader === undefined ? {} : { mcpNameHeader })
  })
  return outcome.kind === "modern" || (outcome.kind === "reject" && outcome.rung !== "jsonrpc-shape")
}
