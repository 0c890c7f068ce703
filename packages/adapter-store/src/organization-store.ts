import type { Member as MemberRecord, User as UserRecord } from "@coppice/core"
import { Member, Organization, User } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { conflictOn } from "./conflict.ts"
import { columns, escapeText, instant, pageBounds, pageOf, recordOf } from "./record.ts"

const toOrganization = recordOf(Organization)
const toUser = recordOf(User)
const toMember = recordOf(Member)

const emailTaken = (email: string) =>
  conflictOn("users_email_taken", `The e-mail address ${email} is taken.`, "Use another address.")

/** Organizations, users and members. A member's name and e-mail are the user's. */
export const organizationStoreLayer = Layer.effect(
  OrganizationStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const insertUser = (user: UserRecord) =>
      sql`INSERT INTO users ${
        sql.insert(columns({
          id: user.id,
          email: user.email,
          emailKey: user.email.toLowerCase(),
          name: user.name,
          activeOrganizationId: user.activeOrganizationId,
          createdAt: instant(user.createdAt),
          updatedAt: instant(user.updatedAt)
        }))
      }`
    const insertMember = (member: MemberRecord) =>
      sql`INSERT INTO members ${
        sql.insert(columns({
          id: member.id,
          organizationId: member.organizationId,
          userId: member.userId,
          role: member.role,
          createdAt: instant(member.createdAt),
          updatedAt: instant(member.updatedAt)
        }))
      }`
    const memberColumns = sql.literal(
      "m.id, m.organization_id, m.user_id, u.email, u.name, m.role, m.created_at, m.updated_at"
    )
    return OrganizationStore.of({
      found: Effect.fn("OrganizationStore.found")(function*(organization, user, owner) {
        const insertOrganization = sql`INSERT INTO organizations ${
          sql.insert(columns({
            id: organization.id,
            name: organization.name,
            createdAt: instant(organization.createdAt),
            updatedAt: instant(organization.updatedAt)
          }))
        }`
        yield* sql`WITH founded AS (${insertOrganization}), joined AS (${insertUser(user)}) ${insertMember(owner)}`.pipe(
          emailTaken(user.email)
        )
      }),
      join: Effect.fn("OrganizationStore.join")(function*(_organizationId, user, member) {
        yield* sql`WITH joined AS (${insertUser(user)}) ${insertMember(member)}`.pipe(emailTaken(user.email))
      }),
      member: Effect.fn("OrganizationStore.member")(function*(organizationId, userId) {
        const [row] = yield* sql`
          SELECT ${memberColumns} FROM members m JOIN users u ON u.id = m.user_id
          WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId}`
        return row === undefined ? undefined : toMember(row)
      }, Effect.orDie),
      members: Effect.fn("OrganizationStore.members")(function*(organizationId, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT ${memberColumns} FROM members m JOIN users u ON u.id = m.user_id
          WHERE m.organization_id = ${organizationId} AND m.id < ${before} ORDER BY m.id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toMember), page)
      }, Effect.orDie),
      userByEmail: Effect.fn("OrganizationStore.userByEmail")(function*(email) {
        const [row] = yield* sql`SELECT * FROM users WHERE email_key = ${escapeText(email.toLowerCase())}`
        return row === undefined ? undefined : toUser(row)
      }, Effect.orDie),
      organizations: Effect.fn("OrganizationStore.organizations")(function*() {
        const rows = yield* sql`SELECT * FROM organizations ORDER BY id`
        return rows.map(toOrganization)
      }, Effect.orDie)
    })
  })
)
