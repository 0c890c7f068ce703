import { Invitation } from "@coppice/core"
import { InvitationStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { insertMember } from "./member-store.ts"
import { columns, instant, isThere, pageBounds, pageOf, recordOf } from "./record.ts"
import { putPasswordHash } from "./user-store.ts"

const toInvitation = recordOf(Invitation)

export const invitationStoreLayer = Layer.effect(
  InvitationStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return InvitationStore.of({
      create: Effect.fn("InvitationStore.create")(function*(invitation, hash) {
        yield* sql`INSERT INTO invitations ${
          sql.insert(columns({
            id: invitation.id,
            organizationId: invitation.organizationId,
            email: invitation.email,
            emailKey: invitation.email.toLowerCase(),
            role: invitation.role,
            hash,
            invitedBy: invitation.invitedBy,
            expiresAt: instant(invitation.expiresAt),
            createdAt: instant(invitation.createdAt),
            updatedAt: instant(invitation.updatedAt)
          }))
        } ON CONFLICT ON CONSTRAINT invitations_address DO UPDATE SET
          id = excluded.id, email = excluded.email, role = excluded.role, hash = excluded.hash, invited_by = excluded.invited_by,
          expires_at = excluded.expires_at, created_at = excluded.created_at, updated_at = excluded.updated_at`
      }, Effect.orDie),
      find: Effect.fn("InvitationStore.find")(function*(hash, at) {
        const [row] = yield* sql`SELECT * FROM invitations WHERE hash = ${hash} AND expires_at > ${instant(at)}`
        return row === undefined ? undefined : toInvitation(row)
      }, Effect.orDie),
      list: Effect.fn("InvitationStore.list")(function*(organizationId, at, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT * FROM invitations WHERE organization_id = ${organizationId} AND expires_at > ${instant(at)} AND id < ${before}
          ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toInvitation), page)
      }, Effect.orDie),
      accept: Effect.fn("InvitationStore.accept")(function*(hash, member, newUser, at) {
        // Whoever deletes the row accepts it; a conflict below takes that back with all the rest.
        const accepted = yield* sql`
          DELETE FROM invitations
          WHERE hash = ${hash} AND organization_id = ${member.organizationId} AND expires_at > ${instant(at)} RETURNING id`
        if (!isThere(accepted)) return false
        yield* insertMember(sql, member, newUser?.user)
        if (newUser?.passwordHash !== undefined) yield* putPasswordHash(sql, newUser.user.id, newUser.passwordHash, at)
        return true
      }, sql.withTransaction, Effect.catchTag("SqlError", Effect.die)),
      revoke: Effect.fn("InvitationStore.revoke")(function*(organizationId, id) {
        const [row] = yield* sql`DELETE FROM invitations WHERE organization_id = ${organizationId} AND id = ${id} RETURNING *`
        return row === undefined ? undefined : toInvitation(row)
      }, Effect.orDie)
    })
  })
)
