import autocannon from "autocannon"

export interface McpRequest {
  readonly headers: Record<string, string>
  readonly body: string
}

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const message = (method: string, params: object): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

/** As 2025-11-25 has it. */
export const legacyRequest = (method: string, params: object): McpRequest => ({
  headers: { ...json, "mcp-protocol-version": "2025-11-25" },
  body: message(method, params)
})

/** As 2026-07-28 has it. */
export const modernRequest = (method: string, params: { readonly name?: string }): McpRequest => ({
  headers: {
    ...json,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(params.name === undefined ? {} : { "mcp-name": params.name })
  },
  body: message(method, {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" }
    }
  })
})

/** What is answered once, so that what is measured is what was meant. */
export const askOnce = async (url: string, { body, headers }: McpRequest): Promise<string> => {
  const response = await fetch(url, { method: "POST", headers, body })
  const text = await response.text()
  const { result } = JSON.parse(text) as { readonly result?: { readonly isError?: boolean } }
  if (result === undefined || result.isError === true) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`)
  return text
}

/** How many requests are answered in that time, over that many connections. Anything but a 200 ends the benchmark. */
export const answeredIn = async (
  url: string,
  request: McpRequest,
  options: { readonly connections: number; readonly seconds: number }
): Promise<number> => {
  const result = await autocannon({
    url,
    connections: options.connections,
    duration: options.seconds,
    method: "POST",
    headers: request.headers,
    body: request.body
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were no 200, ${result.errors} requests failed`)
  return result["2xx"]
}
