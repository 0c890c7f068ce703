import { ErrorCode } from "@coppice/core"
import type { JsonSchema, ResponseHeaders } from "../endpoint-docs.ts"

/** A schema of `schemas`, as another one refers to it. */
export const schemaOf = (name: keyof typeof schemas): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const rpcId: JsonSchema = { type: ["string", "number"] }

/** Schemas that more than one endpoint has. */
export const schemas = {
  Error: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message"],
        properties: {
          code: { type: "string", enum: ErrorCode.literals, description: "Stable, for programs." },
          message: { type: "string", description: "For people." },
          hint: { type: "string", description: "How to resolve it, when known." }
        }
      }
    }
  },
  OAuthError: {
    type: "object",
    required: ["error"],
    properties: {
      error: { type: "string", description: "As invalid_grant, invalid_client or invalid_request (RFC 6749 section 5.2)." },
      error_description: { type: "string", description: "For people." }
    }
  },
  JsonRpcRequest: {
    type: "object",
    required: ["jsonrpc", "method"],
    properties: {
      jsonrpc: { const: "2.0" },
      id: { ...rpcId, description: "Left out for notifications." },
      method: { type: "string", description: "As initialize, tools/list or tools/call." },
      params: { type: "object", description: "For tools/call: name and arguments." }
    }
  },
  JsonRpcResponse: {
    type: "object",
    required: ["jsonrpc"],
    properties: {
      jsonrpc: { const: "2.0" },
      id: { type: ["string", "number", "null"], description: "The request's; null where that could not be read." },
      result: { type: "object" },
      error: {
        type: "object",
        required: ["code", "message"],
        properties: { code: { type: "integer" }, message: { type: "string" }, data: {} }
      }
    }
  }
} satisfies Record<string, JsonSchema>

const seconds: JsonSchema = { type: "integer", minimum: 0 }

/** Header fields that follow from what the catalogue says, by name. */
export const responseHeaders = {
  "WWW-Authenticate": { description: "Where to get a credential (RFC 9728).", schema: { type: "string" } },
  "RateLimit-Limit": { description: "Requests in a window.", schema: { type: "integer" } },
  "RateLimit-Remaining": { description: "Requests that are left in this window.", schema: { type: "integer", minimum: 0 } },
  "RateLimit-Reset": { description: "Seconds until the window resets.", schema: seconds },
  "RateLimit-Policy": { description: "The limit and its window in seconds, as 600;w=60.", schema: { type: "string" } },
  "Retry-After": { description: "Seconds to wait.", schema: seconds },
  Deprecation: { description: "Since when it is deprecated (RFC 9745).", schema: { type: "string", pattern: "^@\\d+$" } },
  Sunset: { description: "When it may go (RFC 8594).", schema: { type: "string" } },
  Link: { description: "What to use instead.", schema: { type: "string" } }
} satisfies ResponseHeaders

export type HeaderName = keyof typeof responseHeaders
