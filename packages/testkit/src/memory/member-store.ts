import { Conflict, type Member, type OrganizationId, type User, type UserId } from "@coppice/core"
import { MemberStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { revokeGrantsOf } from "./grant-record.ts"
import { type Database, MemoryDatabase, step, tellMcp } from "./memory-database.ts"
import { insert, owned, pageOf, without } from "./table.ts"
import { emailTaken, userByEmail } from "./user-store.ts"

const memberAlready = (email: string) =>
  Effect.fail(new Conflict({ message: `${email} is a member already.`, hint: "Change the role of the member instead." }))

const membership = (database: Database, organizationId: OrganizationId, userId: UserId): Member | undefined =>
  owned(database.members.values(), organizationId).find((member) => member.userId === userId)

/** Stores a member, with the user where that is a new one. */
export const addMember = (database: Database, member: Member, newUser: User | undefined): Effect.Effect<void, Conflict> => {
  if (newUser !== undefined && userByEmail(database, newUser.email) !== undefined) return emailTaken(newUser.email)
  if (membership(database, member.organizationId, member.userId) !== undefined) return memberAlready(member.email)
  if (newUser !== undefined) insert(database.users, newUser.id, newUser)
  insert(database.members, member.id, member)
  return Effect.void
}

export const memberStoreMemory = Layer.effect(
  MemberStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const find = (organizationId: OrganizationId, userId: UserId) => membership(database, organizationId, userId)
    return MemberStore.of({
      add: (_organizationId, member, newUser) => step(() => addMember(database, member, newUser)),
      find: (organizationId, userId) => step(() => find(organizationId, userId)),
      list: (organizationId, page) => step(() => pageOf(owned(database.members.values(), organizationId), page)),
      setRole: (organizationId, userId, role, at) =>
        step(() => {
          const member = find(organizationId, userId)
          if (member === undefined || member.role === "owner") return undefined
          const changed = { ...member, role, updatedAt: at }
          database.members.set(member.id, changed)
          return changed
        }),
      remove: (organizationId, userId, at) =>
        step(() => {
          const member = find(organizationId, userId)
          if (member === undefined || member.role === "owner") return false
          database.members.delete(member.id)
          for (const [id, row] of database.apiKeys) {
            const { key } = row
            if (key.organizationId !== organizationId || key.userId !== userId || key.revokedAt !== undefined) continue
            database.apiKeys.set(id, { ...row, key: { ...key, revokedAt: at, updatedAt: at } })
            tellMcp(database, { credential: `api-key:${id}` }, { _tag: "Changed" })
          }
          revokeGrantsOf(database, organizationId, userId, at)
          for (const task of owned(database.tasks.values(), organizationId)) {
            if (task.assigneeId === userId) database.tasks.set(task.id, without(task, "assigneeId"))
          }
          return true
        })
    })
  })
)
