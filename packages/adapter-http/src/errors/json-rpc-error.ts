/** The JSON-RPC 2.0 error codes that the service itself answers with (section 5.1 there), and MCP's own. */
export const rpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  sessionNotFound: -32001,
  /** Before 2026-07-28, which has invalid params for it. */
  resourceNotFound: -32002
} as const

export interface JsonRpcErrorResponse {
  readonly jsonrpc: "2.0"
  readonly id: string | number | null
  readonly error: { readonly code: number; readonly message: string }
}

/** The only place that writes a JSON-RPC error. Its id is null where the request's own could not be read (section 5). */
export const jsonRpcError = (id: string | number | null, code: number, message: string): JsonRpcErrorResponse => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

/** A failure of a request that the SDK turns into a JSON-RPC error: it goes by `code`, `message` and `data`. */
export class RpcFailure extends Error {
  readonly code: number
  readonly data?: object
  constructor(code: number, message: string, data?: object) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }
}
