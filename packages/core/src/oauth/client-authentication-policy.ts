import { constantTimeEqual } from "@oslojs/crypto/subtle"
import { decodeBase64 } from "@oslojs/encoding"
import { Result } from "effect"
import { hashSecret, type SecretHash } from "../credential/secret.ts"
import type { ClientAuthMethod, OAuthClient } from "./oauth-client.ts"
import { OAuthError } from "./oauth-error.ts"
import type { OAuthParameters } from "./oauth-parameters.ts"

/** Who a client says that it is, and how it proves that. */
export interface PresentedClient {
  readonly clientId: string
  readonly method: ClientAuthMethod
  readonly secret?: string
  /** It did so by HTTP Basic, with a secret or an empty one. */
  readonly basic?: true
}

const encoder = new TextEncoder()
const utf8 = new TextDecoder("utf-8", { fatal: true })

/** 401 and a challenge follow where HTTP Basic was tried, and only there (RFC 6749 section 5.2). */
export const invalidClient = (description: string, basic?: boolean): OAuthError =>
  new OAuthError({ error: "invalid_client", description, ...basic === true ? { basic } : {} })

const badHeader = invalidClient("The Authorization header is no HTTP Basic of a client id and a secret.", true)

const decodeHalf = (text: string): string => decodeURIComponent(text.replaceAll("+", " "))

/** Both halves are form-encoded before they are joined by the first colon (RFC 6749 section 2.3.1). */
const parseBasic = (authorization: string): Result.Result<PresentedClient, OAuthError> => {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? []
  if (encoded === undefined) return Result.fail(badHeader)
  try {
    const text = utf8.decode(decodeBase64(encoded))
    const colon = text.indexOf(":")
    if (colon < 1) return Result.fail(badHeader)
    const [clientId, secret] = [decodeHalf(text.slice(0, colon)), decodeHalf(text.slice(colon + 1))]
    return Result.succeed({ clientId, basic: true, ...secret === "" ? { method: "none" } : { method: "client_secret_basic", secret } })
  } catch {
    return Result.fail(badHeader)
  }
}

/** How a client presents itself: by one method at the most. `undefined` when it does not. */
export const presentedClient = (
  authorization: string | undefined,
  { values }: OAuthParameters
): Result.Result<PresentedClient | undefined, OAuthError> => {
  const [clientId, secret] = [values.get("client_id"), values.get("client_secret")]
  if (authorization === undefined) {
    if (clientId !== undefined) {
      return Result.succeed(secret === undefined ? { clientId, method: "none" } : { clientId, method: "client_secret_post", secret })
    }
    return secret === undefined ? Result.succeed(undefined) : Result.fail(invalidClient("client_secret came without client_id."))
  }
  // Another scheme is no attempt at Basic: a challenge to it would mislead.
  if (!/^basic(?: |$)/i.test(authorization)) return Result.fail(invalidClient("Clients authenticate by HTTP Basic or in the body."))
  const basic = parseBasic(authorization)
  if (Result.isFailure(basic)) return basic
  if (secret !== undefined) {
    return Result.fail(new OAuthError({ error: "invalid_request", description: "The client authenticates in two ways at once." }))
  }
  if (clientId !== undefined && clientId !== basic.success.clientId) {
    return Result.fail(invalidClient("client_id differs from the one of the Authorization header.", true))
  }
  return basic
}

/** Whether a client is who it says that it is, by the very method that it registered. */
export const judgeClient = (
  found: { readonly client: OAuthClient; readonly secretHash?: SecretHash } | undefined,
  { basic, method, secret }: PresentedClient
): Result.Result<OAuthClient, OAuthError> => {
  if (found === undefined) return Result.fail(invalidClient("There is no such client. Register again.", basic))
  const { client, secretHash } = found
  if (client.authMethod !== method) return Result.fail(invalidClient(`The client is registered for ${client.authMethod}.`, basic))
  if (method === "none") return Result.succeed(client)
  const hash = secret === undefined ? undefined : hashSecret("clientSecret", secret)
  const isRight = hash !== undefined && secretHash !== undefined && constantTimeEqual(encoder.encode(hash), encoder.encode(secretHash))
  return isRight ? Result.succeed(client) : Result.fail(invalidClient("The client secret is wrong.", basic))
}
