import { Result } from "effect"
import type { ClientAuthMethod, GrantType, OAuthClient } from "./oauth-client.ts"
import { maxRedirectUris, redirectUriFault } from "./redirect-uri-policy.ts"
import { knownScope } from "./scope-policy.ts"

/** What a client may say of itself, as it is kept. */
export type ClientMetadata = Pick<OAuthClient, "name" | "redirectUris" | "grantTypes" | "authMethod" | "scope">

/** Why a registration is refused, by the names of RFC 7591 section 3.2.2. */
export interface MetadataFault {
  readonly code: "INVALID_REDIRECT_URI" | "INVALID_CLIENT_METADATA"
  readonly message: string
  readonly hint?: string
}

const maxNameLength = 200

/** What anybody may register to use. `client_credentials` is for the clients that an admin makes. */
const grantTypes: ReadonlyArray<GrantType> = ["authorization_code", "refresh_token"]

const authMethods: ReadonlyArray<ClientAuthMethod> = ["none", "client_secret_basic", "client_secret_post"]

/** Addresses that a page might show as links one day. */
const linkFields = ["client_uri", "logo_uri", "tos_uri", "policy_uri", "jwks_uri"]

const isLink = (value: unknown): boolean =>
  typeof value === "string" && value.length <= 2048 && /^https?:\/\/[^\s\u0000-\u001f\u007f]+$/i.test(value)

const fault = (message: string, hint?: string): Result.Result<never, MetadataFault> =>
  Result.fail({ code: "INVALID_CLIENT_METADATA", message, ...hint === undefined ? {} : { hint } })

const isList = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

const isOneOf = <A extends string>(values: ReadonlyArray<A>, value: unknown): value is A => values.includes(value as A)

const judgeRedirectUris = (value: unknown): Result.Result<ReadonlyArray<string>, MetadataFault> => {
  if (!isList(value) || value.length === 0 || value.length > maxRedirectUris) {
    return fault(`redirect_uris is an array of 1 to ${maxRedirectUris} URIs.`)
  }
  for (const [place, uri] of value.entries()) {
    const message = redirectUriFault(uri)
    if (message === undefined) continue
    return Result.fail({
      code: "INVALID_REDIRECT_URI",
      message: `redirect_uris[${place}] is not accepted. ${message}`,
      hint: "Use an https address, http on 127.0.0.1, [::1] or localhost, or a scheme of your app's own."
    })
  }
  return Result.succeed(value)
}

const judgeGrantTypes = (value: unknown): Result.Result<ReadonlyArray<GrantType>, MetadataFault> => {
  if (value === undefined) return Result.succeed(grantTypes)
  const isKnown = isList(value) && value.every((item) => isOneOf(grantTypes, item)) && value.includes("authorization_code")
  return isKnown
    ? Result.succeed(grantTypes.filter((each) => value.includes(each)))
    : fault("grant_types is authorization_code, with or without refresh_token.", "Leave it out to have both.")
}

/** The plain fields; `undefined` when they are as they should be. */
const faultOfText = (body: Readonly<Record<string, unknown>>): Result.Result<never, MetadataFault> | undefined => {
  const { client_name: name, response_types: responseTypes, scope, type } = body
  if (type === "identity_assertion") return fault("Identity assertions are not supported.", "Register without type, and have a person approve.")
  if (name !== undefined && (typeof name !== "string" || name.length > maxNameLength || name.includes("\u0000") || !name.isWellFormed())) {
    return fault(`client_name is text of at most ${maxNameLength} characters.`)
  }
  if (scope !== undefined && typeof scope !== "string") return fault("scope is text, with spaces between its words.")
  if (responseTypes !== undefined && !(isList(responseTypes) && responseTypes.every((each) => each === "code"))) {
    return fault("response_types can only be code.")
  }
  const link = linkFields.find((field) => body[field] !== undefined && !isLink(body[field]))
  return link === undefined ? undefined : fault(`${link} is an http or https address.`)
}

/**
 * What of a registration (RFC 7591 section 2) is kept. What is not named here is ignored: a client may send more, and sets
 * nothing by it. A field that is null was not sent.
 */
export const judgeClientMetadata = (given: unknown): Result.Result<ClientMetadata, MetadataFault> => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return fault("A registration is a JSON object.")
  const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const redirectUris = judgeRedirectUris(body["redirect_uris"])
  if (Result.isFailure(redirectUris)) return Result.fail(redirectUris.failure)
  const types = judgeGrantTypes(body["grant_types"])
  if (Result.isFailure(types)) return Result.fail(types.failure)
  // RFC 7591 section 2: a client that names no method proves itself by HTTP Basic.
  const authMethod = body["token_endpoint_auth_method"] ?? "client_secret_basic"
  if (!isOneOf(authMethods, authMethod)) return fault(`token_endpoint_auth_method is one of ${authMethods.join(", ")}.`)
  const wrong = faultOfText(body)
  if (wrong !== undefined) return wrong
  const name = body["client_name"] as string | undefined
  const scope = knownScope((body["scope"] as string | undefined) ?? "")
  return Result.succeed({
    redirectUris: redirectUris.success,
    grantTypes: types.success,
    authMethod,
    ...name === undefined || name.trim() === "" ? {} : { name },
    ...scope.length === 0 ? {} : { scope }
  })
}
