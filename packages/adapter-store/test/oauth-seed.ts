// What tests of the authorization server's stores on a real database need to be there.
import type {
  AuthorizationRequest,
  AuthorizationRequestId,
  Grant,
  GrantId,
  MemberId,
  NewTokens,
  OAuthClient,
  OAuthClientId,
  Principal,
  SecretHash,
  UserId
} from "@coppice/core"
import { AuthorizationCodeStore, GrantStore, OAuthClientStore, OAuthTokenStore } from "@coppice/core/ports"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { at, hash, id, type World } from "./replica.ts"

let hashes = 0x1000_0000

export const newHash = (): SecretHash => hash(++hashes)

const times = { createdAt: at, updatedAt: at }
const later = (options: { readonly minutes?: number; readonly days?: number }) =>
  Effect.map(DateTime.now, (now) => DateTime.add(now, options))

const registered: OAuthClient = {
  id: id<OAuthClientId>(),
  redirectUris: ["https://client.example.com/callback"],
  grantTypes: ["authorization_code", "refresh_token"],
  authMethod: "none",
  ...times
}

export const client = Effect.gen(function*() {
  const client = { ...registered, id: id<OAuthClientId>() }
  yield* (yield* OAuthClientStore).register(client)
  return client
})

/** A service client with the member that it acts as. */
export const service = Effect.fnUntraced(function*({ organizationId }: Pick<World, "organizationId">) {
  const userId = id<UserId>()
  const both = { email: `${userId}@service.invalid`, name: "Service", ...times }
  const service: OAuthClient = {
    ...registered,
    id: id<OAuthClientId>(),
    authMethod: "client_secret_basic",
    service: { organizationId, userId }
  }
  const user = { id: userId, activeOrganizationId: organizationId, ...both }
  const member = { id: id<MemberId>(), organizationId, userId, role: "member" as const, ...both }
  yield* (yield* OAuthClientStore).createService(service, newHash(), user, member)
  return { client: service, userId }
})

export const newGrant = Effect.fnUntraced(function*(who: Pick<Principal, "organizationId" | "userId">, of: OAuthClient) {
  const { organizationId, userId } = who
  const grant: Grant = {
    id: id<GrantId>(),
    organizationId,
    userId,
    clientId: of.id,
    scope: ["openid"],
    resource: "https://coppice.example.com",
    expiresAt: yield* later({ days: 90 }),
    ...times
  }
  return grant
})

export const newTokens = (): NewTokens & { readonly refresh: { readonly hash: SecretHash; readonly idleMillis: number } } => ({
  accessHash: newHash(),
  scope: ["openid"],
  accessMillis: 3_600_000,
  refresh: { hash: newHash(), idleMillis: 3_600_000 }
})

/** A live grant with its tokens. */
export const issued = Effect.fnUntraced(function*(who: Pick<Principal, "organizationId" | "userId">, of?: OAuthClient) {
  const grant = yield* newGrant(who, of ?? (yield* client))
  const tokens = newTokens()
  yield* (yield* OAuthTokenStore).issue(grant, tokens)
  return { grant, tokens, access: tokens.accessHash, refresh: tokens.refresh.hash }
})

/** A request that its user has opened, and what their yes would be stored as. */
export const opened = Effect.fnUntraced(function*(who: Pick<Principal, "organizationId" | "userId">) {
  const store = yield* GrantStore
  const of = yield* client
  const request: AuthorizationRequest = {
    id: id<AuthorizationRequestId>(),
    clientId: of.id,
    redirectUri: "https://client.example.com/callback",
    scope: ["openid"],
    resource: "https://coppice.example.com",
    codeChallenge: "challenge",
    issuer: "https://coppice.example.com",
    visit: newHash(),
    createdAt: at,
    expiresAt: yield* later({ minutes: 10 })
  }
  yield* store.begin(request)
  assert.isDefined(yield* store.open(request.id, request.visit, who.userId, at))
  const approval = {
    grant: yield* newGrant(who, of),
    codeHash: newHash(),
    codeChallenge: "challenge",
    codeExpiresAt: yield* later({ minutes: 1 })
  }
  return { request, approval, decide: store.decide(request.id, request.visit, who.userId, approval) }
})

/** A code that waits to be redeemed. */
export const approved = Effect.fnUntraced(function*(who: Pick<Principal, "organizationId" | "userId">) {
  const { approval, decide } = yield* opened(who)
  assert.isTrue(yield* decide)
  return approval
})

/** How many of these tokens open something, and how many renew something. */
export const worth = Effect.fnUntraced(function*(all: ReadonlyArray<NewTokens>) {
  const store = yield* OAuthTokenStore
  const access = yield* Effect.forEach(all, ({ accessHash }) => store.identify(accessHash))
  const refresh = yield* Effect.forEach(all, (tokens) => store.findRefresh(tokens.refresh!.hash))
  return [access.filter((found) => found !== undefined).length, refresh.filter((found) => found !== undefined).length]
})

export const codeOf = Effect.fnUntraced(function*(codeHash: SecretHash) {
  return (yield* (yield* AuthorizationCodeStore).find(codeHash))?.code
})

/** The processes whose statements wait for a lock, once they are so many. */
export const waiting = Effect.fnUntraced(function*(count: number) {
  const sql = yield* SqlClient
  const rows = yield* sql<{ readonly pid: number }>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (rows) => rows.length === count }),
    Effect.timeout("5 seconds")
  )
  return rows.map(({ pid }) => pid)
})

/** The tables where an exchange stores what is new, and what else a row there needs. */
const rest = { access_tokens: "'{}'", authorization_codes: "'challenge'" } as const

/**
 * Stops whoever stores that hash half-way: another process has begun to store it too, for another grant, and thinks better of it
 * when `during` is done.
 */
export const halfway = <A, E, R>(
  sql: SqlClient,
  { grant, hash, table }: { readonly table: keyof typeof rest; readonly hash: SecretHash; readonly grant: Grant },
  during: Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    yield* sql`INSERT INTO ${sql.literal(table)} SELECT ${hash}::text, organization_id, id, ${sql.literal(rest[table])}, now()
      FROM grants WHERE id = ${grant.id}`
    const answer = yield* during
    yield* sql`DELETE FROM ${sql.literal(table)} WHERE hash = ${hash}`
    return answer
  }).pipe(sql.withTransaction)
