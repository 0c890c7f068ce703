import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  type JSONRPCRequest,
  JSONRPCRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema
} from "@modelcontextprotocol/sdk/types.js"

interface RequestSchema {
  readonly safeParse: (request: unknown) => { readonly success: true } | {
    readonly success: false
    readonly error: { readonly issues: ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey>; readonly message: string }> }
  }
}

const schemas = new Map<string, RequestSchema>([
  InitializeRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
  SetLevelRequestSchema,
  ListPromptsRequestSchema,
  GetPromptRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema
].map((schema) => [schema.shape.method.value, schema]))

/** What is wrong with a request's params, if anything. The SDK would report it as an internal error. */
export const paramsFault = (request: JSONRPCRequest): string | undefined => {
  const parsed = (schemas.get(request.method) ?? JSONRPCRequestSchema as RequestSchema).safeParse(request)
  if (parsed.success) return undefined
  const [issue] = parsed.error.issues
  return `Invalid ${issue?.path.join(".") ?? "params"}: ${issue?.message ?? "not understood"}`
}
