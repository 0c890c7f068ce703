import { DateTime, Effect } from "effect"
import { type OAuthClient, registerClient } from "@coppice/core"
import { Refused } from "../errors/failure.ts"
import { noStore } from "../errors/oauth-error.ts"
import type { Call } from "../pipeline/call.ts"
import { readBody } from "../pipeline/read-body.ts"
import { json } from "../reply.ts"
import { type AddressLimits, makeAddressLimit, registrationDefaults } from "./address-limit.ts"

export const maxRegistrationBytes = 64 * 1024

const invalid = (message: string, hint: string) => new Refused({ code: "INVALID_CLIENT_METADATA", message, hint, headers: noStore })

const isJson = (contentType: string | null): boolean => /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? "")

const utf8 = new TextDecoder("utf-8", { fatal: true })

const readMetadata = Effect.fnUntraced(function*({ request }: Call) {
  if (!isJson(request.headers.get("content-type"))) {
    return yield* invalid("A registration is sent as JSON.", "Send Content-Type: application/json.")
  }
  const bytes = yield* readBody(request, maxRegistrationBytes)
  if (bytes === undefined) {
    return yield* new Refused({ code: "PAYLOAD_TOO_LARGE", message: "The registration is over 64 KiB.", hint: "Send less." })
  }
  return yield* Effect.try({
    try: () => JSON.parse(utf8.decode(bytes)) as unknown,
    catch: () => invalid("The body is not valid JSON.", "Send one JSON object in UTF-8.")
  })
})

/** What was registered, with the defaults that it got (RFC 7591 section 3.2.1). Nothing is null: some clients take that amiss. */
const describe = (client: OAuthClient, secret: string | undefined) => ({
  client_id: client.id,
  client_id_issued_at: Math.floor(DateTime.toEpochMillis(client.createdAt) / 1000),
  ...secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 },
  ...client.name === undefined ? {} : { client_name: client.name },
  redirect_uris: client.redirectUris,
  grant_types: client.grantTypes,
  response_types: ["code"],
  token_endpoint_auth_method: client.authMethod,
  ...client.scope === undefined ? {} : { scope: client.scope.join(" ") }
})

const tooMany = (seconds: number) =>
  new Refused({
    code: "RATE_LIMITED",
    message: "Too many clients were registered.",
    hint: "Wait for as many seconds as Retry-After says; a client that is registered stays so.",
    headers: { "retry-after": String(seconds), ...noStore }
  })

/** POST of a registration, by anybody (RFC 7591). */
export const makeRegisterEndpoint = (limits: AddressLimits = registrationDefaults) => {
  const count = makeAddressLimit(limits)
  return Effect.fnUntraced(function*(call: Call) {
    const { allowed, resetSeconds } = yield* count
    if (!allowed) return yield* tooMany(resetSeconds)
    const { client, secret } = yield* registerClient(yield* readMetadata(call)).pipe(
      Effect.catchTag("RegistrationRefused", ({ code, hint, message }) => Effect.fail(new Refused({ code, message, hint, headers: noStore })))
    )
    return json(201, describe(client, secret), noStore)
  })
}
