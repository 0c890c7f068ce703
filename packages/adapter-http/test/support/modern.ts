import { request } from "./rpc.ts"

export const revision = "2026-07-28"

const meta = (fields: object = {}) => ({
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  ...fields
})

/** A request of 2026-07-28; `fields` go into its metadata. */
export const modern = (method: string, params: Record<string, unknown> = {}, fields?: object) =>
  request(method, { ...params, _meta: meta(fields) })

/** The header fields that must say the same as the body. */
export const headersOf = (message: { readonly method: string; readonly params?: object | undefined }) => {
  const { name, uri } = (message.params ?? {}) as { readonly name?: string; readonly uri?: string }
  const named = name ?? uri
  return {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
    "mcp-method": message.method,
    ...(named === undefined ? {} : { "mcp-name": named })
  }
}
