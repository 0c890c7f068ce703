import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { postgresLayer } from "../src/index.ts"
import { sweep } from "../src/sweep.ts"
import { migratedDatabase } from "./replica.ts"

/** A client by each of these names, of that age in days; hashes and names of what hangs on it begin with its own. */
const seedClients = (ages: Readonly<Record<string, number>>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    for (const [name, days] of Object.entries(ages)) {
      yield* sql`INSERT INTO oauth_clients (id, name, redirect_uris, grant_types, auth_method, created_at, updated_at)
        VALUES (gen_random_uuid(), ${name}, '{}', '{}', 'none', now() - ${days} * interval '1 day', now())`
    }
  })

const seedGrant = (client: string, expiresInDays: number, revokedDaysAgo: number | null = null) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO grants (id, organization_id, user_id, client_id, scope, resource, expires_at, revoked_at, created_at, updated_at)
      SELECT gen_random_uuid(), u.active_organization_id, u.id, c.id, '{}', 'r', now() + ${expiresInDays} * interval '1 day',
        now() - ${revokedDaysAgo}::float8 * interval '1 day', now() - interval '90 days', now()
      FROM users u CROSS JOIN oauth_clients c WHERE c.name = ${client}`
  })

const seedRequest = (client: string, expiresInMinutes: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO authorization_requests
      SELECT gen_random_uuid(), c.id, 'https://c', '{}', 'r', ${client}, NULL, NULL, 'i', repeat('0', 64), NULL,
        now(), now() + ${expiresInMinutes} * interval '1 minute' FROM oauth_clients c WHERE c.name = ${client}`
  })

/** Codes and tokens of the grant of a client, which expired, or will, so many hours from now. */
const seedOfGrant = (client: string, hours: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    for (const [place, hour] of hours.entries()) {
      const hash = place.toString().padStart(64, "0")
      const of = sql`g.organization_id, g.id`
      const ends = sql`now() + ${hour}::float8 * interval '1 hour'`
      const from = sql`FROM grants g JOIN oauth_clients c ON c.id = g.client_id WHERE c.name = ${client}`
      yield* sql`INSERT INTO authorization_codes SELECT ${hash}, ${of}, 'c', ${ends}, now() ${from}`
      yield* sql`INSERT INTO access_tokens SELECT ${hash}, ${of}, '{}', ${ends} ${from}`
      yield* sql`INSERT INTO refresh_tokens SELECT ${hash}, ${of}, ${ends}, now() - interval '7 days', 3 ${from}`
    }
  })

const left = (statement: (sql: SqlClient) => Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  Effect.map(Effect.flatMap(SqlClient, statement), (rows) =>
    rows.map((row) => Object.values(row as object)[0] as unknown))

const clientsLeft = left((sql) => sql`SELECT name FROM oauth_clients ORDER BY name`)
const hashesLeft = (table: string) =>
  left((sql) => sql`SELECT hash::numeric::integer FROM ${sql.literal(table)} ORDER BY hash`)

/** On a database with one user. */
const swept = (name: string, body: (elsewhere: ReturnType<typeof postgresLayer>) => Effect.Effect<void, unknown, SqlClient>) =>
  it.live(name, () =>
    Effect.gen(function*() {
      const url = Redacted.make(yield* migratedDatabase)
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        yield* sql`WITH o AS (INSERT INTO organizations VALUES (gen_random_uuid(), 'O', now(), now()) RETURNING id)
          INSERT INTO users SELECT gen_random_uuid(), 'a@b.c', 'a@b.c', 'U', id, now(), now() FROM o`
        yield* body(postgresLayer({ url }))
      }).pipe(Effect.provide(postgresLayer({ url })))
    }))

describePostgres("a sweep of what the authorization server keeps", () => {
  swept("removes expired requests, access tokens and refresh tokens, and codes a day later; used ones no sooner", () => Effect.gen(function*() {
    yield* seedClients({ client: 0 })
    yield* seedGrant("client", 30)
    yield* seedRequest("client", -1)
    yield* seedRequest("client", 5)
    yield* seedOfGrant("client", [-25, -23, -0.01, 1])
    yield* sweep
    assert.deepStrictEqual(yield* left((sql) => sql`SELECT expires_at > now() FROM authorization_requests`), [true])
    assert.deepStrictEqual(yield* hashesLeft("authorization_codes"), [1, 2, 3])
    assert.deepStrictEqual(yield* hashesLeft("access_tokens"), [3])
    assert.deepStrictEqual(yield* hashesLeft("refresh_tokens"), [3])
  }))

  swept("removes a grant 30 days after its end, with what hangs on it", () => Effect.gen(function*() {
    yield* seedClients({ "expired 31": 0, "expired 29": 0, "revoked 31": 0, "revoked 29": 0, live: 0 })
    yield* seedGrant("expired 31", -31)
    yield* seedGrant("expired 29", -29)
    yield* seedGrant("revoked 31", 60, 31)
    yield* seedGrant("revoked 29", 60, 29)
    yield* seedGrant("live", 60)
    yield* seedOfGrant("revoked 31", [100])
    yield* sweep
    const names = yield* left((sql) => sql`SELECT c.name FROM grants g JOIN oauth_clients c ON c.id = g.client_id ORDER BY c.name`)
    assert.deepStrictEqual(names, ["expired 29", "live", "revoked 29"])
    assert.deepStrictEqual(yield* hashesLeft("refresh_tokens"), [])
  }))

  swept("D7: removes clients that registered themselves, once nobody has used them for 14 days", () => Effect.gen(function*() {
    yield* seedClients({ asking: 15, asked: 15, granted: 15, lately: 15, "long ago": 40, never: 15, young: 13, service: 15 })
    const sql = yield* SqlClient
    yield* sql`UPDATE oauth_clients SET (organization_id, user_id) = (SELECT active_organization_id, id FROM users) WHERE name = 'service'`
    yield* seedGrant("granted", 60)
    yield* seedGrant("lately", 60, 13)
    yield* seedGrant("long ago", 60, 15)
    yield* seedRequest("asking", 5)
    yield* seedRequest("asked", -5)
    yield* sweep
    assert.deepStrictEqual(yield* clientsLeft, ["asking", "granted", "lately", "service", "young"])
  }))

  swept("D7: removes any number of clients, in batches, and passes over one that somebody holds", (elsewhere) => Effect.gen(function*() {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO oauth_clients (id, name, redirect_uris, grant_types, auth_method, created_at, updated_at)
      SELECT gen_random_uuid(), 'client ' || n, '{}', '{}', 'none', now() - interval '15 days', now() FROM generate_series(1, 2500) AS n`
    yield* Effect.gen(function*() {
      yield* sql`SELECT FROM oauth_clients WHERE name = 'client 7' FOR KEY SHARE`
      yield* Effect.provide(sweep, elsewhere)
    }).pipe(sql.withTransaction)
    assert.deepStrictEqual(yield* clientsLeft, ["client 7"])
  }))
})
