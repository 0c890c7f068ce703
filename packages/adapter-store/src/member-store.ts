import { type Conflict, Member, type User } from "@coppice/core"
import { MemberStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { conflictOn } from "./conflict.ts"
import { grantSignal } from "./grant-record.ts"
import { credentialSignal } from "./mcp-signal.ts"
import { columns, instant, isThere, pageBounds, pageOf, recordOf } from "./record.ts"
import { emailTaken, userColumns } from "./user-store.ts"

const toMember = recordOf(Member)

export const memberColumns = (member: Member) =>
  columns({
    id: member.id,
    organizationId: member.organizationId,
    userId: member.userId,
    role: member.role,
    createdAt: instant(member.createdAt),
    updatedAt: instant(member.updatedAt)
  })

const memberAlready = (email: string) =>
  conflictOn("members_user", `${email} is a member already.`, "Change the role of the member instead.")

/** Stores a member in one statement, with the user where that is a new one. */
export const insertMember = (sql: SqlClient, member: Member, newUser: User | undefined): Effect.Effect<unknown, Conflict> => {
  const insert = sql`INSERT INTO members ${sql.insert(memberColumns(member))}`
  return newUser === undefined
    ? insert.pipe(memberAlready(member.email))
    : sql`WITH joined AS (INSERT INTO users ${sql.insert(userColumns(newUser))}) ${insert}`.pipe(emailTaken(newUser.email))
}

/** What a query says of a member `m` whose user is `u`: name and e-mail are the user's. */
export const memberFields = "m.id, m.organization_id, m.user_id, u.email, u.name, m.role, m.created_at, m.updated_at"

export const memberStoreLayer = Layer.effect(
  MemberStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const fields = sql.literal(memberFields)
    return MemberStore.of({
      add: Effect.fn("MemberStore.add")(function*(_organizationId, member, newUser) {
        yield* insertMember(sql, member, newUser)
      }),
      find: Effect.fn("MemberStore.find")(function*(organizationId, userId) {
        const [row] = yield* sql`
          SELECT ${fields} FROM members m JOIN users u ON u.id = m.user_id
          WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId}`
        return row === undefined ? undefined : toMember(row)
      }, Effect.orDie),
      list: Effect.fn("MemberStore.list")(function*(organizationId, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT ${fields} FROM members m JOIN users u ON u.id = m.user_id
          WHERE m.organization_id = ${organizationId} AND m.id < ${before} ORDER BY m.id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toMember), page)
      }, Effect.orDie),
      setRole: Effect.fn("MemberStore.setRole")(function*(organizationId, userId, role, at) {
        const [row] = yield* sql`
          WITH m AS (
            UPDATE members SET role = ${role}, updated_at = ${instant(at)}
            WHERE organization_id = ${organizationId} AND user_id = ${userId} AND role <> 'owner' RETURNING *
          )
          SELECT ${fields} FROM m JOIN users u ON u.id = m.user_id`
        return row === undefined ? undefined : toMember(row)
      }, Effect.orDie),
      remove: Effect.fn("MemberStore.remove")(function*(organizationId, userId, at) {
        const removed = yield* sql`
          DELETE FROM members WHERE organization_id = ${organizationId} AND user_id = ${userId} AND role <> 'owner'
          RETURNING id`
        if (!isThere(removed)) return false
        yield* sql`
          UPDATE api_keys SET revoked_at = ${instant(at)}, updated_at = ${instant(at)}
          WHERE organization_id = ${organizationId} AND user_id = ${userId} AND revoked_at IS NULL
          RETURNING ${sql.literal(credentialSignal("'api-key:' || id"))}`
        yield* sql`
          UPDATE grants SET revoked_at = ${instant(at)}, updated_at = ${instant(at)}
          WHERE organization_id = ${organizationId} AND user_id = ${userId} AND revoked_at IS NULL
          RETURNING ${sql.literal(grantSignal("id"))}`
        return true
      }, sql.withTransaction, Effect.orDie)
    })
  })
)
