/** A POST to the MCP endpoint. */
export const send = (key: string | undefined, message: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: typeof message === "string" ? message : JSON.stringify(message),
  headers: {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...headers
  }
})
export const request = (method: string, params?: object, id: string | number = 1) => ({ jsonrpc: "2.0", id, method, params })
export const initialize = (protocolVersion: string) =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } })

export interface Answer {
  readonly jsonrpc: "2.0"
  readonly id: unknown
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

/** The messages of server-sent events, in their order. */
export const messagesOf = (events: string): ReadonlyArray<Answer & { readonly method?: string; readonly params?: unknown }> =>
  [...events.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!))
