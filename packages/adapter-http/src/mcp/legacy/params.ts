import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  type JSONRPCRequest,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  SetLevelRequestSchema
} from "@modelcontextprotocol/sdk/types.js"

type Schema =
  | typeof InitializeRequestSchema
  | typeof ListToolsRequestSchema
  | typeof CallToolRequestSchema
  | typeof SetLevelRequestSchema

const schemas = new Map<string, Schema>([
  ["initialize", InitializeRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
  ["logging/setLevel", SetLevelRequestSchema]
])

/** What is wrong with a request's params, if anything. The SDK would report it as an internal error. */
export const paramsFault = (request: JSONRPCRequest): string | undefined => {
  const parsed = (schemas.get(request.method) ?? JSONRPCRequestSchema).safeParse(request)
  if (parsed.success) return undefined
  const [issue] = parsed.error.issues
  return `Invalid ${issue?.path.join(".") ?? "params"}: ${issue?.message ?? "not understood"}`
}
