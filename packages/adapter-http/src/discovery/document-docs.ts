import type { EndpointDocs, JsonSchema } from "../endpoint-docs.ts"

const url: JsonSchema = { type: "string", format: "uri" }

const documentDocs = (summary: string, mediaType: string, schema: JsonSchema): EndpointDocs => ({
  summary,
  parameters: [{
    in: "header",
    name: "If-None-Match",
    description: "The ETag of the version that the client has.",
    schema: { type: "string" }
  }],
  responses: {
    200: {
      description: "The document.",
      content: { [mediaType]: schema },
      headers: { ETag: { description: "The document's version.", schema: { type: "string" } } }
    },
    304: { description: "The client has this version." }
  }
})

export const serverCardDocs = documentDocs("The MCP server card", "application/json", {
  type: "object",
  required: ["name", "version", "serverUrl", "tools"],
  properties: {
    name: { type: "string" },
    version: { type: "string" },
    description: { type: "string" },
    serverUrl: url,
    transport: { const: "streamable-http" },
    documentationUrl: url,
    authentication: {
      type: "object",
      properties: { type: { type: "string" }, resourceMetadataUrl: url }
    },
    tools: {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, description: { type: "string" }, inputSchema: { type: "object" } }
      }
    }
  }
})

const texts: JsonSchema = { type: "array", items: { type: "string" } }

export const protectedResourceDocs = documentDocs("Metadata of the protected resource (RFC 9728)", "application/json", {
  type: "object",
  required: ["resource", "authorization_servers"],
  properties: {
    resource: url,
    authorization_servers: { type: "array", items: url },
    scopes_supported: texts,
    bearer_methods_supported: texts,
    resource_name: { type: "string" },
    resource_documentation: url
  }
})

export const authorizationServerDocs = documentDocs(
  "Metadata of the authorization server (RFC 8414, OpenID Connect Discovery)",
  "application/json",
  {
    type: "object",
    required: ["issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint", "jwks_uri"],
    properties: {
      issuer: url,
      authorization_endpoint: url,
      token_endpoint: url,
      registration_endpoint: url,
      revocation_endpoint: url,
      userinfo_endpoint: url,
      jwks_uri: url,
      scopes_supported: texts,
      agent_auth: {
        type: "object",
        properties: { skill: url, register_uri: url, claim_uri: url, revocation_uri: url, identity_types_supported: texts }
      }
    }
  }
)

export const authGuideDocs = documentDocs("How an agent gets a credential, in Markdown", "text/markdown", { type: "string" })

export const openapiDocs = documentDocs("The interface in OpenAPI 3.1", "application/json", {
  type: "object",
  required: ["openapi", "info", "paths"],
  properties: { openapi: { const: "3.1.0" }, info: { type: "object" }, paths: { type: "object" } }
})

export const guideDocs = documentDocs("How to use the service, in Markdown", "text/markdown", { type: "string" })
