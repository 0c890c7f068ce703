// What the benchmarks of the authorization server need to be there, written through the ports.
import { migrate, postgresLayer, storeLayer } from "@coppice/adapter-store"
import {
  type AuthorizationRequest,
  AuthorizationRequestId,
  foundOrganization,
  type Grant,
  GrantId,
  issueSecret,
  newId,
  now,
  type OAuthClient,
  OAuthClientId
} from "@coppice/core"
import { GrantStore, OAuthClientStore, OAuthTokenStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SqlClient } from "effect/sql/SqlClient"
import { challenge, redirectUri, type TokenSeed } from "./token-load.ts"

/** Runs an effect on the stores of a database. */
const onDatabase = <A, E>(
  url: string,
  effect: Effect.Effect<A, E, Layer.Success<typeof storeLayer> | SecureRandom.SecureRandom | SqlClient>
) =>
  effect.pipe(
    Effect.provide(storeLayer.pipe(Layer.provideMerge(postgresLayer({ url: Redacted.make(url) })))),
    Effect.provide(SecureRandom.layerWebCrypto),
    Effect.scoped,
    Effect.runPromise
  )

const hour = { hours: 1 }

/** A person, and a public client that registered itself. */
const begin = Effect.gen(function*() {
  yield* migrate
  const email = `${yield* newId(OAuthClientId)}@example.com`
  const { organization, user } = yield* foundOrganization({ organizationName: "Bench", email, name: "Bench" })
  const at = yield* now
  const client: OAuthClient = {
    id: yield* newId(OAuthClientId),
    name: "Bench",
    redirectUris: [redirectUri],
    grantTypes: ["authorization_code", "refresh_token"],
    authMethod: "none",
    createdAt: at,
    updatedAt: at
  }
  yield* (yield* OAuthClientStore).register(client)
  const newGrant = (resource: string) =>
    Effect.map(newId(GrantId), (id): Grant => ({
      id,
      organizationId: organization.id,
      userId: user.id,
      clientId: client.id,
      redirectUri,
      scope: ["offline_access"],
      resource,
      expiresAt: DateTime.add(at, { days: 90 }),
      createdAt: at,
      updatedAt: at
    }))
  return { at, client, newGrant, user }
})

/** As many codes as asked for, each of a grant of its own, that last for an hour. */
export const seedCodes = (url: string, count: number, base: string): Promise<TokenSeed> =>
  onDatabase(url, Effect.gen(function*() {
    const { at, client, newGrant, user } = yield* begin
    const grants = yield* GrantStore
    const visit = (yield* issueSecret("browserVisit")).hash
    const makeCode = Effect.gen(function*() {
      const expiresAt = DateTime.add(at, hour)
      const request: AuthorizationRequest = {
        id: yield* newId(AuthorizationRequestId),
        clientId: client.id,
        redirectUri,
        scope: ["offline_access"],
        resource: base,
        codeChallenge: challenge,
        issuer: base,
        visit,
        createdAt: at,
        expiresAt
      }
      yield* grants.begin(request)
      yield* grants.open(request.id, visit, user.id, at)
      const { hash: codeHash, secret } = yield* issueSecret("authorizationCode")
      const grant = yield* newGrant(base)
      yield* grants.decide(request.id, visit, user.id, { grant, codeHash, codeChallenge: challenge, codeExpiresAt: expiresAt })
      return secret
    })
    const codes = yield* Effect.forEach(Array.from({ length: count }), () => makeCode, { concurrency: 10 })
    return { clientId: client.id, codes }
  }))

/** As many live access tokens as asked for, each of a grant of its own, for a service at that address. */
export const seedAccessTokens = (url: string, count: number, base: string): Promise<ReadonlyArray<string>> =>
  onDatabase(url, Effect.gen(function*() {
    const { newGrant } = yield* begin
    const store = yield* OAuthTokenStore
    const makeToken = Effect.gen(function*() {
      const { hash: accessHash, secret } = yield* issueSecret("accessToken")
      yield* store.issue(yield* newGrant(base), { accessHash, scope: [], accessMillis: 3_600_000 })
      return secret
    })
    return yield* Effect.forEach(Array.from({ length: count }), () => makeToken, { concurrency: 10 })
  }))

/** Makes it so many live access tokens in all, by copies of those that there are. */
export const fillAccessTokens = (url: string, count: number): Promise<void> =>
  onDatabase(url, Effect.gen(function*() {
    const sql = yield* SqlClient
    yield* sql`
      WITH one AS (SELECT * FROM grants LIMIT 1),
      more AS (
        INSERT INTO grants (id, organization_id, user_id, client_id, redirect_uri, scope, resource, expires_at, created_at, updated_at)
        SELECT gen_random_uuid(), organization_id, user_id, client_id, redirect_uri, scope, resource, expires_at, created_at, updated_at
        FROM one CROSS JOIN generate_series((SELECT count(*) FROM access_tokens) + 1, ${count}::bigint)
        RETURNING organization_id, id
      )
      INSERT INTO access_tokens (hash, organization_id, grant_id, scope, expires_at)
      SELECT encode(sha256(id::text::bytea), 'hex'), organization_id, id, '{}', now() + interval '1 hour' FROM more`
    yield* sql`VACUUM ANALYZE grants, access_tokens`
  }))

/** Leaves of the access tokens the oldest few. */
export const dropAccessTokens = (url: string, count: number): Promise<void> =>
  onDatabase(url, Effect.gen(function*() {
    const sql = yield* SqlClient
    yield* sql`DELETE FROM grants WHERE id NOT IN (
      SELECT id FROM grants WHERE last_used_at IS NOT NULL ORDER BY created_at, id LIMIT ${count}
    )`
    yield* sql`VACUUM ANALYZE grants, access_tokens`
  }))
