import { DateTime, Effect, Schema } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { issueSecret, type SecretHash } from "../credential/secret.ts"
import type { ErrorCode } from "../error-code.ts"
import { Forbidden, NotFound } from "../error.ts"
import { AuthorizationRequestId, GrantId, newId, type OrganizationId, type UserId } from "../id.ts"
import { MemberStore } from "../organization/member-store.ts"
import type { BrowserSession } from "../sign-in/browser-session.ts"
import { now, type Timestamp } from "../timestamp.ts"
import { isRecent } from "./authorization-policy.ts"
import type { AuthorizationRequest } from "./authorization-request.ts"
import { isMixedScript, shownClientName } from "./client-name-policy.ts"
import { findClient } from "./find-client.ts"
import type { Grant } from "./grant.ts"
import { GrantStore } from "./grant-store.ts"
import type { OAuthClient } from "./oauth-client.ts"
import { codeMillis, grantMillis, unrenewableGrantMillis } from "./oauth-lifetimes.ts"
import { isLoopbackRedirect, redirectHost, redirectSource, withParameters } from "./redirect-uri-policy.ts"

const isRequestId = Schema.is(AuthorizationRequestId)

const notOpen = (): NotFound =>
  new NotFound({
    message: "There is nothing to decide here any more.",
    hint: "Go back to the program that wants access, and have it connect anew, in this browser."
  })

/** The client wants somebody to decide who has signed in just now: the person in front of the browser may be another one. */
export class SignInAgain extends Schema.TaggedError<SignInAgain>()("SignInAgain", { message: Schema.String, hint: Schema.String }) {
  readonly code = "UNAUTHORIZED" satisfies ErrorCode
}

/** Who is signed in in the browser, and since when. */
type Decider = Pick<BrowserSession, "userId" | "authenticatedAt">

/** The request, for the browser that began it and the person who opened it first there, once they have signed in as late as it asks for. */
const openRequest = Effect.fnUntraced(function*(requestId: string, visit: SecretHash, { authenticatedAt, userId }: Decider) {
  const request = isRequestId(requestId) ? yield* (yield* GrantStore).open(requestId, visit, userId, authenticatedAt) : undefined
  const found = request === undefined ? undefined : yield* findClient(request.clientId)
  if (request === undefined || found === undefined) return yield* notOpen()
  if (isRecent(authenticatedAt, request.authenticatedAfter)) return { request, client: found.client }
  return yield* new SignInAgain({
    message: "The program that wants access asks you to sign in again.",
    hint: "Sign in again at /login, then open this page anew."
  })
})

/** What a person has to know to decide. Nothing of it that the client says of itself is verified. */
export const describeAuthorization = Effect.fn("describeAuthorization")(function*(
  requestId: string,
  visit: SecretHash,
  decider: Decider
) {
  const { client, request } = yield* openRequest(requestId, visit, decider)
  const clientName = shownClientName(client.name)
  return {
    requestId: request.id,
    clientId: client.id,
    ...clientName === undefined ? {} : { clientName },
    mixedScript: clientName !== undefined && isMixedScript(clientName),
    redirectHost: redirectHost(request.redirectUri),
    /** For `form-action` of the page's content security policy. */
    redirectSource: redirectSource(request.redirectUri),
    isLoopback: isLoopbackRedirect(request.redirectUri),
    scope: request.scope,
    resource: request.resource,
    expiresAt: request.expiresAt
  }
})
export type AuthorizationDescription = Effect.Success<ReturnType<typeof describeAuthorization>>

/** How a client is called where its name may be nothing that can be shown. */
const nameOf = ({ id, name }: OAuthClient): string => shownClientName(name) ?? id

const grantOf = (
  request: AuthorizationRequest,
  by: { readonly userId: UserId; readonly organizationId: OrganizationId; readonly authenticatedAt: Timestamp },
  id: GrantId,
  at: Timestamp
): Grant => ({
  id,
  organizationId: by.organizationId,
  userId: by.userId,
  clientId: request.clientId,
  redirectUri: request.redirectUri,
  scope: request.scope,
  resource: request.resource,
  ...request.nonce === undefined ? {} : { nonce: request.nonce },
  authenticatedAt: by.authenticatedAt,
  expiresAt: DateTime.add(at, { milliseconds: request.scope.includes("offline_access") ? grantMillis : unrenewableGrantMillis }),
  createdAt: at,
  updatedAt: at
})

/**
 * Carries out what a person decided, once, and answers the address at which the client hears of it. The organization is
 * the one that the person works in at that moment; the grant stays with it.
 */
export const decideAuthorization = Effect.fn("decideAuthorization")(function*(input: {
  readonly requestId: string
  readonly visit: SecretHash
  readonly userId: UserId
  readonly organizationId: OrganizationId
  readonly authenticatedAt: Timestamp
  readonly approve: boolean
}) {
  const { organizationId, userId, visit } = input
  const { client, request } = yield* openRequest(input.requestId, visit, input)
  if ((yield* (yield* MemberStore).find(organizationId, userId)) === undefined) {
    return yield* new Forbidden({ message: "You are no member of this organization any more." })
  }
  const grants = yield* GrantStore
  const answer = { state: request.state, iss: request.issuer }
  if (!input.approve) {
    if (!(yield* grants.decide(request.id, visit, userId, undefined))) return yield* notOpen()
    yield* audit({ organizationId, userId }, "grant.denied", { name: nameOf(client), id: client.id })
    return withParameters(request.redirectUri, { error: "access_denied", error_description: "The person said no.", ...answer })
  }
  const at = yield* now
  const code = yield* issueSecret("authorizationCode")
  const grant = grantOf(request, input, yield* newId(GrantId), at)
  const decided = yield* grants.decide(request.id, visit, userId, {
    grant,
    codeHash: code.hash,
    codeChallenge: request.codeChallenge,
    codeExpiresAt: DateTime.add(at, { milliseconds: codeMillis })
  })
  if (!decided) return yield* notOpen()
  yield* audit({ organizationId, userId }, "grant.approved", { name: nameOf(client), id: grant.id })
  return withParameters(request.redirectUri, { code: code.secret, ...answer })
})
