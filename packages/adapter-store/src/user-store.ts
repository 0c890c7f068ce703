import { type Timestamp, User, type UserId } from "@coppice/core"
import { UserStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { conflictOn } from "./conflict.ts"
import { columns, escapeText, instant, isThere, recordOf } from "./record.ts"

const toUser = recordOf(User)

export const emailTaken = (email: string) =>
  conflictOn("users_email_taken", `The e-mail address ${email} is taken.`, "Use another address.")

export const userColumns = (user: User) =>
  columns({
    id: user.id,
    email: user.email,
    emailKey: user.email.toLowerCase(),
    name: user.name,
    activeOrganizationId: user.activeOrganizationId,
    createdAt: instant(user.createdAt),
    updatedAt: instant(user.updatedAt)
  })

/** Keeps the hash of a password in place of the one before. */
export const putPasswordHash = (sql: SqlClient, userId: UserId, passwordHash: string, at: Timestamp) =>
  sql`INSERT INTO user_passwords (user_id, hash, updated_at) VALUES (${userId}, ${passwordHash}, ${instant(at)})
    ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, updated_at = excluded.updated_at`.pipe(Effect.orDie)

export const userStoreLayer = Layer.effect(
  UserStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return UserStore.of({
      find: Effect.fn("UserStore.find")(function*(id) {
        const [row] = yield* sql`SELECT * FROM users WHERE id = ${id}`
        return row === undefined ? undefined : toUser(row)
      }, Effect.orDie),
      byEmail: Effect.fn("UserStore.byEmail")(function*(email) {
        const [row] = yield* sql`SELECT * FROM users WHERE email_key = ${escapeText(email.toLowerCase())}`
        return row === undefined ? undefined : toUser(row)
      }, Effect.orDie),
      setActiveOrganization: Effect.fn("UserStore.setActiveOrganization")(function*(id, organizationId, at) {
        const rows = yield* sql`
          UPDATE users SET active_organization_id = ${organizationId}, updated_at = ${instant(at)}
          WHERE id = ${id}
            AND EXISTS (SELECT FROM members WHERE organization_id = ${organizationId} AND user_id = ${id})
          RETURNING id`
        return isThere(rows)
      }, Effect.orDie),
      setPasswordHash: Effect.fn("UserStore.setPasswordHash")(function*(id, passwordHash, at) {
        yield* putPasswordHash(sql, id, passwordHash, at)
      }),
      passwordHash: Effect.fn("UserStore.passwordHash")(function*(id) {
        const [row] = yield* sql<{ readonly hash: string }>`SELECT hash FROM user_passwords WHERE user_id = ${id}`
        return row?.hash
      }, Effect.orDie)
    })
  })
)
