import { Conflict, Member, Organization } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { memberColumns, memberFields } from "./member-store.ts"
import { columns, instant, isThere, recordOf } from "./record.ts"
import { emailTaken, userColumns } from "./user-store.ts"

const toOrganization = recordOf(Organization)
const toMember = recordOf(Member)

const notTheFirst = new Conflict({
  message: "There is an organization already.",
  hint: "Sign in, or ask its owner for an invitation."
})

export const organizationStoreLayer = Layer.effect(
  OrganizationStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    /** Those who found the first one come one at a time, so that only one finds nothing there. */
    const isFirst = sql`SELECT pg_advisory_xact_lock(hashtextextended('coppice first organization', 0))`.pipe(
      Effect.andThen(sql`SELECT FROM organizations LIMIT 1`),
      Effect.map((rows) => !isThere(rows)),
      Effect.orDie
    )
    return OrganizationStore.of({
      found: Effect.fn("OrganizationStore.found")(function*(organization, user, owner, options) {
        const insertOrganization = sql`INSERT INTO organizations ${
          sql.insert(columns({
            id: organization.id,
            name: organization.name,
            createdAt: instant(organization.createdAt),
            updatedAt: instant(organization.updatedAt)
          }))
        }`
        const insertUser = sql`INSERT INTO users ${sql.insert(userColumns(user))}`
        const insert = sql`
          WITH founded AS (${insertOrganization}), joined AS (${insertUser})
          INSERT INTO members ${sql.insert(memberColumns(owner))}`.pipe(emailTaken(user.email))
        if (options?.first !== true) return void (yield* insert)
        yield* Effect.flatMap(isFirst, (first): Effect.Effect<unknown, Conflict> => first ? insert : Effect.fail(notTheFirst)).pipe(
          sql.withTransaction,
          Effect.catchTag("SqlError", Effect.die)
        )
      }),
      organizations: Effect.fn("OrganizationStore.organizations")(function*() {
        const rows = yield* sql`SELECT * FROM organizations ORDER BY id`
        return rows.map(toOrganization)
      }, Effect.orDie),
      ofUser: Effect.fn("OrganizationStore.ofUser")(function*(userId) {
        const organizations = yield* sql`
          SELECT o.* FROM organizations o JOIN members m ON m.organization_id = o.id WHERE m.user_id = ${userId} ORDER BY o.id`
        const members = yield* sql`
          SELECT ${sql.literal(memberFields)} FROM members m JOIN users u ON u.id = m.user_id
          WHERE m.user_id = ${userId} ORDER BY m.organization_id`
        const byOrganization = new Map(members.map(toMember).map((member) => [member.organizationId, member]))
        return organizations.map(toOrganization).flatMap((organization) => {
          const member = byOrganization.get(organization.id)
          return member === undefined ? [] : [{ organization, member }]
        })
      }, Effect.orDie)
    })
  })
)
