import { section } from "../requirement.ts"

export const discovery = section("Discovery", {
  "discovery.protected-resource": ["built", "GET /.well-known/oauth-protected-resource is public and answers 200 JSON."],
  "discovery.authorization-server": ["built", "GET /.well-known/oauth-authorization-server is public and answers 200 JSON."],
  "discovery.server-card": ["built", "GET /.well-known/mcp/server-card.json is public and answers 200 JSON with the full tool catalogue."],
  "discovery.openapi": ["built", "GET /openapi.json is public and answers 200 with OpenAPI 3.1."]
})

export const protectedResource = section("Protected resource metadata", {
  "protected-resource.resource": ["built", "resource is a required URI."],
  "protected-resource.authorization-servers": ["built", "authorization_servers is a required array of URIs."],
  "protected-resource.scopes-supported": ["built", "scopes_supported is an array of strings."],
  "protected-resource.resource-name": ["built", "resource_name is a string."],
  "protected-resource.resource-documentation": ["built", "resource_documentation is a URI."]
})

export const authorizationServer = section("Authorization server metadata", {
  "authorization-server.issuer": ["built", "issuer is a required URI."],
  "authorization-server.endpoints": [
    "built",
    "authorization_endpoint, token_endpoint, registration_endpoint and revocation_endpoint are URIs."
  ],
  "authorization-server.scopes-supported": ["built", "scopes_supported is an array of strings."],
  "authorization-server.agent-auth": ["built", "agent_auth has skill, register_uri and revocation_uri, all URIs."],
  "authorization-server.identity-types": ["built", "agent_auth.identity_types_supported is an array that may hold anonymous."]
})

export const serverCard = section("MCP server card", {
  "server-card.name": ["built", "name is a required string."],
  "server-card.version": ["built", "version is a required string."],
  "server-card.server-url": ["built", "serverUrl is a required URI."],
  "server-card.tools": ["built", "tools is a required array of { name, description, inputSchema }."],
  "server-card.description": ["built", "description is a string."],
  "server-card.transport": ["built", "transport is streamable-http."],
  "server-card.documentation-url": ["built", "documentationUrl is a URI."],
  "server-card.authentication": ["built", "authentication has type and resourceMetadataUrl."]
})
