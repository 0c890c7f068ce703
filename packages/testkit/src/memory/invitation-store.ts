import type { SecretHash, Timestamp } from "@coppice/core"
import { InvitationStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { addMember } from "./member-store.ts"
import { type InvitationRow, MemoryDatabase, step } from "./memory-database.ts"
import { insert, owned, pageOf } from "./table.ts"

const isOpen = ({ invitation }: InvitationRow, at: Timestamp): boolean => DateTime.isGreaterThan(invitation.expiresAt, at)

export const invitationStoreMemory = Layer.effect(
  InvitationStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { invitations } = database
    const find = (hash: SecretHash, at: Timestamp) =>
      [...invitations.values()].find((row) => row.hash === hash && isOpen(row, at))?.invitation
    return InvitationStore.of({
      create: (invitation, hash) =>
        step(() => {
          for (const { invitation: { email, id, organizationId } } of invitations.values()) {
            if (organizationId !== invitation.organizationId) continue
            if (email.toLowerCase() === invitation.email.toLowerCase()) invitations.delete(id)
          }
          insert(invitations, invitation.id, { invitation, hash })
        }),
      find: (hash, at) => step(() => find(hash, at)),
      list: (organizationId, at, page) =>
        step(() => {
          const open = [...invitations.values()].flatMap((row) => isOpen(row, at) ? [row.invitation] : [])
          return pageOf(owned(open, organizationId), page)
        }),
      accept: (hash, member, newUser, at) =>
        step(() => {
          const invitation = find(hash, at)
          if (invitation === undefined || invitation.organizationId !== member.organizationId) return false
          return Effect.map(addMember(database, member, newUser?.user), () => {
            invitations.delete(invitation.id)
            if (newUser?.passwordHash !== undefined) database.passwordHashes.set(newUser.user.id, newUser.passwordHash)
            return true
          })
        }),
      revoke: (organizationId, id) =>
        step(() => {
          const invitation = invitations.get(id)?.invitation
          if (invitation?.organizationId !== organizationId) return undefined
          invitations.delete(id)
          return invitation
        })
    })
  })
)
