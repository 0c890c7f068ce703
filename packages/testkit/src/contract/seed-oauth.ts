// What the contracts of the authorization server need to be there, made through the ports alone.
import {
  AuthorizationRequestId,
  GrantId,
  type McpSignal,
  MemberId,
  newId,
  now,
  OAuthClientId,
  type Timestamp,
  UserId
} from "@coppice/core"
import type { AuthorizationRequest, Grant, Limit, Member, NewTokens, OAuthClient, SecretHash, User } from "@coppice/core"
import { AuthorizationCodeStore, GrantStore, McpSessionStore, OAuthClientStore, OAuthTokenStore } from "@coppice/core/ports"
import { DateTime, Effect, Queue } from "effect"
import { assert } from "vitest"
import { beforeLong } from "./check.ts"
import { seedHash, type Tenant } from "./seed.ts"

export const minute = 60_000
export const day = 24 * 60 * minute
export const wide: Limit = { max: 1000, windowSeconds: 3600 }

const inMillis = (at: Timestamp, milliseconds: number) => DateTime.add(at, { milliseconds })
/** When whoever opens a request signed in; only requests that ask for that look at it. */
export const signedInAt = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const base = "https://coppice.example.com"

/** A client that registered itself, not stored yet. */
export const newClient = Effect.fnUntraced(function*(fields: Partial<OAuthClient> = {}) {
  const at = yield* now
  const client: OAuthClient = {
    id: yield* newId(OAuthClientId),
    name: "Seeded",
    redirectUris: ["https://client.example.com/callback"],
    grantTypes: ["authorization_code", "refresh_token"],
    authMethod: "none",
    createdAt: at,
    updatedAt: at,
    ...fields
  }
  return client
})

export const seedClient = Effect.fnUntraced(function*(fields: Partial<OAuthClient> = {}) {
  const client = yield* newClient(fields)
  yield* (yield* OAuthClientStore).register(client)
  return client
})

/** A service client of an organization, with the member that it acts as. */
export const seedService = Effect.fnUntraced(function*({ organization }: Tenant) {
  const organizationId = organization.id
  const userId = yield* newId(UserId)
  const { createdAt, updatedAt, ...client } = yield* newClient({
    redirectUris: [],
    grantTypes: ["client_credentials"],
    authMethod: "client_secret_basic",
    service: { organizationId, userId }
  })
  const both = { email: `${client.id}@service.invalid`, name: "Service", createdAt, updatedAt }
  const user: User = { id: userId, activeOrganizationId: organizationId, ...both }
  const member: Member = { id: yield* newId(MemberId), organizationId, userId, role: "member", ...both }
  const secretHash = yield* seedHash("clientSecret")
  const stored = { ...client, createdAt, updatedAt }
  yield* (yield* OAuthClientStore).createService(stored, secretHash, user, member)
  return { client: stored, member, user, secretHash }
})

/** A grant of a tenant's owner to a client, not stored yet. */
export const newGrant = Effect.fnUntraced(function*(
  { organization, user }: Pick<Tenant, "organization" | "user">,
  client: OAuthClient,
  fields: Partial<Grant> = {}
) {
  const at = yield* now
  const grant: Grant = {
    id: yield* newId(GrantId),
    organizationId: organization.id,
    userId: user.id,
    clientId: client.id,
    redirectUri: "https://client.example.com/callback",
    scope: ["openid", "offline_access"],
    resource: base,
    expiresAt: inMillis(at, 90 * day),
    createdAt: at,
    updatedAt: at,
    ...fields
  }
  return grant
})

export const newTokens = Effect.fnUntraced(function*(fields: Partial<NewTokens> & { readonly idleMillis?: number } = {}) {
  const { idleMillis = 30 * day, ...given } = fields
  const refresh = { hash: yield* seedHash("refreshToken"), idleMillis }
  return { accessHash: yield* seedHash("accessToken"), scope: ["openid"], accessMillis: 60 * minute, refresh, ...given }
})

/** A live grant with an access and a refresh token. */
export const seedTokens = Effect.fnUntraced(function*(
  tenant: Pick<Tenant, "organization" | "user">,
  fields: { readonly grant?: Partial<Grant>; readonly tokens?: Parameters<typeof newTokens>[0]; readonly client?: OAuthClient } = {}
) {
  const client = fields.client ?? (yield* seedClient())
  const grant = yield* newGrant(tenant, client, fields.grant)
  const tokens = yield* newTokens(fields.tokens)
  yield* (yield* OAuthTokenStore).issue(grant, tokens)
  return { client, grant, tokens, access: tokens.accessHash, refresh: tokens.refresh.hash }
})

/** A request that a browser brought, stored. */
export const seedRequest = Effect.fnUntraced(function*(fields: Partial<AuthorizationRequest> = {}) {
  const at = yield* now
  const request: AuthorizationRequest = {
    id: yield* newId(AuthorizationRequestId),
    clientId: fields.clientId ?? (yield* seedClient()).id,
    redirectUri: "https://client.example.com/callback",
    scope: ["openid"],
    resource: base,
    codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    issuer: base,
    visit: yield* seedHash("browserVisit"),
    createdAt: at,
    expiresAt: inMillis(at, 10 * minute),
    ...fields
  }
  yield* (yield* GrantStore).begin(request)
  return request
})

type Approval = NonNullable<Parameters<GrantStore["Service"]["decide"]>[3]>

/** What a person's yes to a request is stored as. */
export const newApproval = Effect.fnUntraced(function*(
  tenant: Tenant,
  { clientId, codeChallenge }: AuthorizationRequest,
  options: { readonly grant?: Partial<Grant>; readonly codeMillis?: number; readonly fields?: Partial<Approval> } = {}
) {
  const grant = yield* newGrant(tenant, yield* newClient({ id: clientId }), options.grant)
  const codeExpiresAt = inMillis(yield* now, options.codeMillis ?? minute)
  return { grant, codeChallenge, codeHash: yield* seedHash("authorizationCode"), codeExpiresAt, ...options.fields }
})

/** A code that a tenant's owner gave leave for. */
export const seedCode = Effect.fnUntraced(function*(tenant: Tenant, options: Parameters<typeof newApproval>[2] = {}) {
  const store = yield* GrantStore
  const request = yield* seedRequest()
  const approval = yield* newApproval(tenant, request, options)
  yield* store.open(request.id, request.visit, tenant.user.id, signedInAt)
  assert.isTrue(yield* store.decide(request.id, request.visit, tenant.user.id, approval))
  return { request, ...approval }
})

/** Whether each of these access tokens opens something, and each of these refresh tokens renews something. */
export const worth = Effect.fnUntraced(function*(tokens: ReadonlyArray<NewTokens>) {
  const store = yield* OAuthTokenStore
  return yield* Effect.forEach(tokens, ({ accessHash, refresh }) =>
    Effect.all([
      Effect.map(store.identify(accessHash), (principal) => principal !== undefined),
      refresh === undefined ? Effect.succeed(false) : Effect.map(store.findRefresh(refresh.hash), (found) => found !== undefined)
    ]))
})

/** Asserts that of so many tokens every one, or none, is worth something. */
export const allWorth = (tokens: ReadonlyArray<NewTokens>, expected: boolean) =>
  Effect.map(worth(tokens), (each) => assert.deepStrictEqual(each, tokens.map(() => [expected, expected])))

export const codeOf = Effect.fnUntraced(function*(hash: SecretHash) {
  return (yield* (yield* AuthorizationCodeStore).find(hash))?.code
})

/** Listens to what depends on a grant, and to what depends on another one. */
export const listenTo = Effect.fnUntraced(function*({ id }: Pick<Grant, "id">) {
  const heard = yield* Queue.unbounded<McpSignal>()
  const elsewhere: Array<McpSignal> = []
  const sessions = yield* McpSessionStore
  yield* sessions.listen({ credential: `grant:${id}` }, (signal) => void Queue.offerUnsafe(heard, signal))
  yield* sessions.listen({ credential: `grant:${yield* newId(GrantId)}` }, (signal) => void elsewhere.push(signal))
  // Whoever has just connected may have missed something, and is told so.
  yield* Queue.clear(heard)
  elsewhere.length = 0
  return Effect.gen(function*() {
    assert.deepStrictEqual(yield* beforeLong(Queue.take(heard), "nobody was told"), { _tag: "Changed" })
    assert.deepStrictEqual(elsewhere, [])
  })
})
