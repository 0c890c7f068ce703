import type { Answers } from "../cli/answers.ts"

interface JsonRpcAnswer {
  readonly error?: unknown
  readonly result?: { readonly isError?: boolean; readonly structuredContent: unknown }
}

/** Calls a tool over MCP as any client would, with an API key and no session. */
export const callTool = async <Name extends keyof Answers>(
  url: string,
  key: string,
  name: Name,
  args: object
): Promise<Answers[Name]> => {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25"
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
  })
  const body = await response.json() as JsonRpcAnswer
  if (!response.ok || body.error !== undefined || body.result?.isError === true) {
    throw new Error(`${name} answered ${response.status}: ${JSON.stringify(body)}`)
  }
  return body.result?.structuredContent as Answers[Name]
}
