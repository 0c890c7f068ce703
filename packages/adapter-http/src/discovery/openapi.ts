import type { knownScopes, Limit } from "@coppice/core"
import { type DocumentedEndpoint, type Endpoint, isDocumented } from "../endpoint.ts"
import type { Content } from "../endpoint-docs.ts"
import { oauthPaths } from "../oauth/oauth-paths.ts"
import { noticeDays } from "../pipeline/versioning-policy.ts"
import { type HeaderName, responseHeaders, schemaOf, schemas } from "./schemas.ts"
import { serviceTexts } from "./service-texts.ts"

type Fields = Readonly<Record<string, object>>

interface Response {
  readonly description: string
  readonly headers?: Fields | undefined
  readonly content?: Content | undefined
}

const rateLimit = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"] as const

/** Where a webhook's token comes from, no document can say. */
const challenge = ["WWW-Authenticate"] as const

const refer = (...names: ReadonlyArray<HeaderName>): Fields =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const failure = (description: string, ...headers: ReadonlyArray<HeaderName>): Response => ({
  description,
  headers: refer(...headers),
  content: { "application/json": schemaOf("Error") }
})

/** By which schemes a caller may prove itself: one of them will do. */
const schemes = { bearer: ["oauth2", "bearer"], webhook: ["webhookToken"], visitor: [], public: [] } as const

const scopeTexts: Record<(typeof knownScopes)[number], string> = {
  openid: "Who the person is.",
  profile: "Their name.",
  email: "Their e-mail address.",
  offline_access: "Refresh tokens."
}

const flows = (base: string) => ({
  authorizationCode: {
    authorizationUrl: base + oauthPaths.authorize,
    tokenUrl: base + oauthPaths.token,
    refreshUrl: base + oauthPaths.token,
    scopes: scopeTexts
  }
})

const inWords = ({ max, windowSeconds }: Limit): string => `More than ${max} requests in ${windowSeconds} seconds.`

/** What an endpoint answers because of what its row in the catalogue says. */
const derivedResponses = <R>(endpoint: DocumentedEndpoint<R>): Readonly<Record<number, Response>> => {
  if ("removed" in endpoint) return { 410: failure(`Removed. Use ${endpoint.removed.replacement} instead.`) }
  const { cors, maxBodyBytes, security } = endpoint
  const limit = "limit" in endpoint ? endpoint.limit : undefined
  const limited = limit === undefined ? [] : rateLimit
  return {
    ...(security === "bearer" || security === "webhook") && {
      401: failure("The credential is missing, wrong, expired or revoked.", ...security === "bearer" ? challenge : [])
    },
    403: failure(`The Host ${cors === "open" ? "or Origin " : ""}field names a site that may not call.`),
    ...maxBodyBytes !== undefined && { 413: failure(`The body is over ${maxBodyBytes} bytes.`, ...limited) },
    ...limit !== undefined && { 429: failure(inWords(limit), "Retry-After", ...rateLimit) }
  }
}

/** What its author says that it answers, with the fields that every such answer has. */
const declaredResponses = <R>(endpoint: DocumentedEndpoint<R>): Readonly<Record<string, Response>> => {
  const limited = "limit" in endpoint && endpoint.limit !== undefined ? rateLimit : []
  const leaving = endpoint.deprecated === undefined ? [] : ["Deprecation", "Sunset", "Link"] as const
  return Object.fromEntries(
    Object.entries(endpoint.docs.responses).map(([status, { content, description, headers }]) => [status, {
      description,
      headers: { ...headers, ...refer(...limited, ...leaving) },
      content: content ?? (Number(status) >= 400 ? failure("").content : undefined)
    }])
  )
}

const variable = /:(\w+)/g

const operation = <R>(endpoint: DocumentedEndpoint<R>, path: string, place: number) => {
  const { docs, id, security } = endpoint
  const inPath = [...path.matchAll(variable)]
    .map(([, name]) => ({ in: "path", name, required: true, schema: { type: "string" } }))
  const withSchemas = (content: Content) =>
    Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))
  const responses: Readonly<Record<string, Response>> = { ...declaredResponses(endpoint), ...derivedResponses(endpoint) }
  return {
    operationId: place === 0 ? id : `${id}-${place + 1}`,
    summary: docs.summary,
    ...docs.description !== undefined && { description: docs.description },
    ...(endpoint.deprecated !== undefined || "removed" in endpoint) && { deprecated: true },
    security: schemes[security].map((scheme) => ({ [scheme]: [] })),
    parameters: [...inPath, ...docs.parameters ?? []],
    ...docs.request !== undefined && { requestBody: { ...docs.request, content: withSchemas(docs.request.content) } },
    responses: {
      ...Object.fromEntries(Object.entries(responses).map(([status, { content, ...response }]) => [
        status,
        content === undefined ? response : { ...response, content: withSchemas(content) }
      ])),
      default: { description: "Any other failure.", content: withSchemas({ "application/json": schemaOf("Error") }) }
    }
  }
}

/** A removed endpoint answers any method; a document names one, and that is the one that callers used. */
const methodOf = <R>(endpoint: DocumentedEndpoint<R>): string => "removed" in endpoint ? "post" : endpoint.method.toLowerCase()

/** The OpenAPI description of what programs call, of a catalogue. */
export const openapiDocument = <R>(catalog: ReadonlyArray<Endpoint<R>>, base: string) => {
  const paths: Record<string, Record<string, object>> = {}
  for (const endpoint of catalog.filter(isDocumented)) {
    for (const [place, path] of endpoint.paths.entries()) {
      const item = paths[path.replace(variable, "{$1}")] ??= {}
      item[methodOf(endpoint)] = operation(endpoint, path, place)
    }
  }
  const used = JSON.stringify(paths)
  const headers = Object.entries(responseHeaders).filter(([name]) => used.includes(`#/components/headers/${name}"`))
  return {
    openapi: "3.1.0",
    info: {
      title: serviceTexts.title,
      // Of this description, which goes its own way: the service's own version is in the server card.
      version: "1.0.0",
      description: `${serviceTexts.description} A breaking change comes under a new path; what is deprecated is served for at `
        + `least ${noticeDays} days more, and what is removed answers 410 with its replacement.`,
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{ url: base }],
    paths,
    components: {
      schemas,
      headers: Object.fromEntries(headers),
      securitySchemes: {
        oauth2: { type: "oauth2", description: "An access token, by the authorization code grant with PKCE (S256).", flows: flows(base) },
        bearer: { type: "http", scheme: "bearer", description: "An access token or an API key." },
        webhookToken: { type: "http", scheme: "bearer", description: "The automation's webhook token." }
      }
    }
  }
}
