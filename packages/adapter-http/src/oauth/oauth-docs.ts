import { knownScopes } from "@coppice/core"
import { schemaOf } from "../discovery/schemas.ts"
import type { EndpointDocs, JsonSchema, ParameterDocs } from "../endpoint-docs.ts"

const text: JsonSchema = { type: "string" }
const uri: JsonSchema = { type: "string", format: "uri" }
const uris: JsonSchema = { type: "array", items: uri, minItems: 1, maxItems: 20 }
const grantTypes: JsonSchema = { type: "array", items: { enum: ["authorization_code", "refresh_token"] } }
const authMethod: JsonSchema = { enum: ["none", "client_secret_basic", "client_secret_post"] }
const scope: JsonSchema = { type: "string", description: `Words of ${knownScopes.join(" ")}. Others are dropped.` }

const inQuery = (name: string, description: string, schema: JsonSchema = text, required = false): ParameterDocs => ({
  in: "query",
  name,
  description,
  schema,
  ...required ? { required: true } : {}
})

export const registerDocs: EndpointDocs = {
  summary: "Register an OAuth client",
  description: "For anybody (RFC 7591). A registration can do nothing until a person approves it.",
  request: {
    required: true,
    content: {
      "application/json": {
        type: "object",
        required: ["redirect_uris"],
        properties: {
          redirect_uris: uris,
          client_name: { type: "string", maxLength: 200 },
          grant_types: grantTypes,
          token_endpoint_auth_method: { ...authMethod, default: "client_secret_basic", description: "none for public clients, which use PKCE." },
          scope
        }
      }
    }
  },
  responses: {
    201: {
      description: "Registered, with the defaults that it got.",
      content: {
        "application/json": {
          type: "object",
          required: ["client_id", "redirect_uris", "grant_types", "token_endpoint_auth_method"],
          properties: {
            client_id: text,
            client_id_issued_at: { type: "integer" },
            client_secret: text,
            client_secret_expires_at: { type: "integer" },
            client_name: text,
            redirect_uris: uris,
            grant_types: grantTypes,
            response_types: { type: "array", items: { const: "code" } },
            token_endpoint_auth_method: authMethod,
            scope: text
          }
        }
      }
    },
    400: { description: "The metadata are not accepted: INVALID_REDIRECT_URI or INVALID_CLIENT_METADATA." },
    429: {
      description: "Too many registrations.",
      headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } }
    }
  }
}

export const authorizeDocs: EndpointDocs = {
  summary: "Ask a person for access",
  description: "Send the person's browser here (RFC 6749 section 4.1.1, with PKCE).",
  parameters: [
    inQuery("response_type", "The only type of answer that there is.", { const: "code" }, true),
    inQuery("client_id", "As it was registered.", text, true),
    inQuery("redirect_uri", "As it was registered; on loopback the port may differ.", uri, true),
    inQuery("code_challenge", "base64url(SHA-256(code_verifier)).", { type: "string", minLength: 43, maxLength: 43 }, true),
    inQuery("code_challenge_method", "The only method that there is.", { const: "S256" }, true),
    inQuery("scope", "As openid profile email offline_access; all that the client may have when left out."),
    inQuery("state", "Comes back as it was."),
    inQuery("nonce", "Comes back in the ID token."),
    inQuery("prompt", "none fails where a person would have to be asked, which is always; login has them sign in again."),
    inQuery("max_age", "Who signed in longer ago than so many seconds signs in again.", { type: "integer", minimum: 0 }),
    inQuery("resource", "The service or its MCP address (RFC 8707).", uri)
  ],
  responses: {
    302: {
      description: "To the consent page, and from there to redirect_uri with code, state and iss; or to redirect_uri with error.",
      headers: { Location: { description: "Where to go.", schema: uri } }
    },
    400: {
      description: "A page: client and redirect URI are not known to belong together, so that nothing is sent there.",
      content: { "text/html": text }
    },
    429: {
      description: "A page: too many requests from one address, or from everywhere.",
      headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
      content: { "text/html": text }
    }
  }
}

const form = (properties: Record<string, JsonSchema>, required: ReadonlyArray<string>): NonNullable<EndpointDocs["request"]> => ({
  description: "At most 64 KiB. A confidential client authenticates as it registered to: here, or by HTTP Basic.",
  required: true,
  content: { "application/x-www-form-urlencoded": { type: "object", required, properties } }
})

const oauthError = { "application/json": schemaOf("OAuthError") }

/** What both endpoints that clients call by themselves fail with. */
const oauthFailures = {
  400: { description: "The request, the client or what it presents is not accepted.", content: oauthError },
  401: {
    description: "HTTP Basic was tried and failed.",
    content: oauthError,
    headers: { "WWW-Authenticate": { description: "Basic.", schema: text } }
  },
  503: {
    description: "Not now; nothing was used up.",
    content: oauthError,
    headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } }
  }
} satisfies EndpointDocs["responses"]

export const tokenDocs: EndpointDocs = {
  summary: "Get tokens",
  request: form({
    grant_type: { enum: ["authorization_code", "refresh_token", "client_credentials"] },
    code: text,
    redirect_uri: uri,
    client_id: text,
    client_secret: text,
    code_verifier: { type: "string", minLength: 43, maxLength: 128 },
    refresh_token: text,
    scope: { type: "string", description: "For refresh_token: less than was granted." },
    resource: uri
  }, ["grant_type"]),
  responses: {
    200: {
      description: "The tokens.",
      content: {
        "application/json": {
          type: "object",
          required: ["access_token", "token_type"],
          properties: {
            access_token: text,
            token_type: { const: "Bearer" },
            expires_in: { type: "integer", maximum: 3600 },
            refresh_token: { type: "string", description: "With the scope offline_access. It changes with each use." },
            scope: text,
            id_token: { type: "string", description: "With the scope openid, signed by RS256." }
          }
        }
      }
    },
    ...oauthFailures
  }
}

export const revokeDocs: EndpointDocs = {
  summary: "Revoke a token",
  description: "An access token ends alone, a refresh token with all that was approved together with it (RFC 7009).",
  request: form({
    token: { type: "string", description: "An access or a refresh token." },
    token_type_hint: { enum: ["access_token", "refresh_token"] },
    client_id: text,
    client_secret: text
  }, ["token"]),
  responses: {
    200: { description: "It is worth nothing now, whatever it was.", content: { "application/json": { type: "object" } } },
    ...oauthFailures
  }
}

export const userinfoDocs: EndpointDocs = {
  summary: "Who the person is",
  description: "For an access token with the scope openid (OpenID Connect Core section 5.3).",
  responses: {
    200: {
      description: "What the token's scope opens.",
      content: {
        "application/json": {
          type: "object",
          required: ["sub"],
          properties: { sub: text, email: { type: "string", format: "email" }, email_verified: { type: "boolean" }, name: text, picture: uri }
        }
      }
    }
  }
}

export const jwksDocs: EndpointDocs = {
  summary: "The keys that ID tokens are signed with",
  responses: {
    200: {
      description: "A JSON Web Key Set (RFC 7517).",
      content: { "application/json": { type: "object", required: ["keys"], properties: { keys: { type: "array", items: { type: "object" } } } } }
    }
  }
}
