import type { EndpointDocs, JsonSchema, ParameterDocs } from "../endpoint-docs.ts"
import { schemaOf } from "./schemas.ts"

const request = schemaOf("JsonRpcRequest")
const response = schemaOf("JsonRpcResponse")

const sessionId = (description: string): ParameterDocs => ({
  in: "header",
  name: "Mcp-Session-Id",
  description,
  schema: { type: "string" }
})

const protocolVersion: ParameterDocs = {
  in: "header",
  name: "MCP-Protocol-Version",
  description: "The revision of MCP that the client speaks.",
  schema: { type: "string" }
}

const url: JsonSchema = { type: "string", format: "uri" }

const oneOrMany = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "array", items: schema }] })

export const mcpPostDocs: EndpointDocs = {
  summary: "Send an MCP message",
  description: "JSON-RPC 2.0 over Streamable HTTP. The answer is JSON or an event stream, as Accept asks.",
  parameters: [
    sessionId("The session's id, from the answer to initialize. Without it the request is served on its own."),
    protocolVersion,
    { in: "query", name: "toolsets", description: "Narrows tools/list, as tasks,runs.", schema: { type: "string" } }
  ],
  request: {
    description: "A JSON-RPC request or notification; under revision 2025-03-26 also a batch of up to 50.",
    required: true,
    content: { "application/json": oneOrMany(request) }
  },
  responses: {
    200: {
      description: "The answer. The event stream's events carry one JSON-RPC message each.",
      content: { "application/json": oneOrMany(response), "text/event-stream": { type: "string" } },
      headers: {
        "Mcp-Session-Id": { description: "The id of the session that initialize began.", schema: { type: "string" } }
      }
    },
    202: { description: "Accepted; there is nothing to answer." },
    400: { description: "Not JSON, or not a message that can be served.", content: { "application/json": response } },
    404: { description: "There is no such session.", content: { "application/json": response } },
    406: { description: "Accept admits neither JSON nor an event stream." },
    415: { description: "The body is not sent as JSON." }
  }
}

export const mcpGetDocs: EndpointDocs = {
  summary: "Listen to the server, or have it described",
  description: "With Accept: text/event-stream, what the server sends of its own accord in a session; else a description.",
  parameters: [
    sessionId("The session to listen to."),
    {
      name: "Last-Event-ID",
      in: "header",
      description: "The last event that was received: the stream goes on after it.",
      schema: { type: "string" }
    }
  ],
  responses: {
    400: { description: "The session's id is missing, or the event's is none of its." },
    404: { description: "There is no such session." },
    200: {
      description: "The event stream, of one JSON-RPC message each; or what the server is, and where its documents are.",
      content: {
        "application/json": {
          type: "object",
          required: ["name", "version", "transport", "url", "protocolVersions"],
          properties: {
            name: { type: "string" },
            title: { type: "string" },
            version: { type: "string" },
            description: { type: "string" },
            transport: { const: "streamable-http" },
            url,
            protocolVersions: { type: "array", items: { type: "string" } },
            serverCard: url,
            openapi: url,
            documentation: url,
            authentication: {
              type: "object",
              required: ["type", "resourceMetadataUrl"],
              properties: { type: { const: "oauth2" }, resourceMetadataUrl: url }
            }
          }
        }
      }
    }
  }
}

export const mcpDeleteDocs: EndpointDocs = {
  summary: "End an MCP session",
  parameters: [sessionId("The session to end.")],
  responses: {
    200: { description: "The session has ended." },
    400: { description: "The session's id is missing." },
    404: { description: "There is no such session." }
  }
}

export const mcpV1Docs: EndpointDocs = { summary: "The first version of the MCP server", responses: {} }
