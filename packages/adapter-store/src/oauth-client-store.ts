import { OAuthClient, type OrganizationId, SecretHash, type UserId } from "@coppice/core"
import { OAuthClientStore } from "@coppice/core/ports"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { grantSignal } from "./grant-record.ts"
import { memberColumns } from "./member-store.ts"
import { columns, instant, isThere, pageBounds, pageOf, recordOf, textArray } from "./record.ts"
import { userColumns } from "./user-store.ts"

interface ClientRow {
  readonly organizationId: OrganizationId | null
  readonly userId: UserId | null
}

const toFields = recordOf(OAuthClient)
const toSecret = recordOf(Schema.Struct({ secretHash: Schema.optionalKey(SecretHash) }))

const toClient = (row: ClientRow): OAuthClient => {
  const { organizationId, userId } = row
  return organizationId === null || userId === null ? toFields(row) : { ...toFields(row), service: { organizationId, userId } }
}

const clientColumns = (client: OAuthClient, secretHash: SecretHash | undefined) =>
  columns({
    id: client.id,
    name: client.name,
    redirectUris: textArray(client.redirectUris),
    grantTypes: textArray(client.grantTypes),
    authMethod: client.authMethod,
    scope: client.scope && textArray(client.scope),
    secretHash,
    organizationId: client.service?.organizationId,
    userId: client.service?.userId,
    createdAt: instant(client.createdAt),
    updatedAt: instant(client.updatedAt)
  })

export const oauthClientStoreLayer = Layer.effect(
  OAuthClientStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const insertClient = (client: OAuthClient, secretHash: SecretHash | undefined) =>
      sql`INSERT INTO oauth_clients ${sql.insert(clientColumns(client, secretHash))}`
    return OAuthClientStore.of({
      register: Effect.fn("OAuthClientStore.register")(function*(client, secretHash) {
        yield* insertClient(client, secretHash)
      }, Effect.orDie),
      createService: Effect.fn("OAuthClientStore.createService")(function*(client, secretHash, user, member) {
        yield* sql`
          WITH u AS (INSERT INTO users ${sql.insert(userColumns(user))}),
          m AS (INSERT INTO members ${sql.insert(memberColumns(member))})
          ${insertClient(client, secretHash)}`
      }, Effect.orDie),
      find: Effect.fn("OAuthClientStore.find")(function*(id) {
        const [row] = yield* sql<ClientRow>`SELECT * FROM oauth_clients WHERE id = ${id}`
        return row === undefined ? undefined : { client: toClient(row), ...toSecret(row) }
      }, Effect.orDie),
      services: Effect.fn("OAuthClientStore.services")(function*(organizationId, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql<ClientRow>`
          SELECT * FROM oauth_clients WHERE organization_id = ${organizationId} AND id < ${before} ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toClient), page)
      }, Effect.orDie),
      rotateSecret: Effect.fn("OAuthClientStore.rotateSecret")(function*(organizationId, id, secretHash, at) {
        const rows = yield* sql`
          UPDATE oauth_clients SET secret_hash = ${secretHash}, updated_at = ${instant(at)}
          WHERE organization_id = ${organizationId} AND id = ${id} RETURNING id`
        return isThere(rows)
      }, Effect.orDie),
      remove: Effect.fn("OAuthClientStore.remove")(function*(organizationId, id) {
        const ofClient = sql`id = ${id} AND organization_id = ${organizationId}`
        // In the order of all locks: whoever is giving a grant holds the member, and is waited for here.
        yield* sql`DELETE FROM members WHERE (organization_id, user_id) IN (
          SELECT organization_id, user_id FROM oauth_clients WHERE ${ofClient})`
        if (!isThere(yield* sql`SELECT FROM oauth_clients WHERE ${ofClient} FOR UPDATE`)) return false
        yield* sql`DELETE FROM grants WHERE client_id = ${id} RETURNING ${sql.literal(grantSignal("id"))}`
        yield* sql`DELETE FROM oauth_clients WHERE ${ofClient}`
        return true
      }, sql.withTransaction, Effect.orDie)
    })
  })
)
