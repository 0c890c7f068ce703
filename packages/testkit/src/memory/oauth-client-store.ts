import type { OAuthClient, OAuthClientId, OrganizationId } from "@coppice/core"
import { OAuthClientStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { memberOf, revokeGrant } from "./grant-record.ts"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert, pageOf } from "./table.ts"

export const oauthClientStoreMemory = Layer.effect(
  OAuthClientStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { accessTokens, grants, members, oauthClients, refreshTokens, users } = database
    const isOf = ({ service }: OAuthClient, organizationId: OrganizationId) => service?.organizationId === organizationId
    const service = (organizationId: OrganizationId, id: OAuthClientId) => {
      const row = oauthClients.get(id)
      return row !== undefined && isOf(row.client, organizationId) ? row : undefined
    }
    return OAuthClientStore.of({
      register: (client, secretHash) =>
        step(() => insert(oauthClients, client.id, secretHash === undefined ? { client } : { client, secretHash })),
      createService: (client, secretHash, user, member) =>
        step(() => {
          insert(users, user.id, user)
          insert(members, member.id, member)
          insert(oauthClients, client.id, { client, secretHash })
        }),
      find: (id) => step(() => oauthClients.get(id)),
      services: (organizationId, page) =>
        step(() =>
          pageOf([...oauthClients.values()].map(({ client }) => client).filter((client) => isOf(client, organizationId)), page)
        ),
      rotateSecret: (organizationId, id, secretHash, at) =>
        step(() => {
          const row = service(organizationId, id)
          if (row === undefined) return false
          oauthClients.set(id, { client: { ...row.client, updatedAt: at }, secretHash })
          return true
        }),
      remove: (organizationId, id, at) =>
        step(() => {
          const row = service(organizationId, id)
          if (row?.client.service === undefined) return false
          for (const grant of [...grants.values()].filter(({ clientId }) => clientId === id)) {
            revokeGrant(database, grant, at)
            for (const tokens of [accessTokens, refreshTokens]) {
              for (const [hash, { grantId }] of tokens) if (grantId === grant.id) tokens.delete(hash)
            }
            grants.delete(grant.id)
          }
          const member = memberOf(database, row.client.service)
          if (member !== undefined) members.delete(member.id)
          return oauthClients.delete(id)
        })
    })
  })
)
