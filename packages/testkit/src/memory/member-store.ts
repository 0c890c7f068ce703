import { Conflict } from "@coppice/core"
import { MemberStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { revokeGrantsOf } from "./grant-record.ts"
import { MemoryDatabase, step, tellMcp } from "./memory-database.ts"
import { insert, owned, pageOf } from "./table.ts"
import { emailTaken, userByEmail } from "./user-store.ts"

const memberAlready = (email: string) =>
  Effect.fail(new Conflict({ message: `${email} is a member already.`, hint: "Change the role of the member instead." }))

export const memberStoreMemory = Layer.effect(
  MemberStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const find = (organizationId: Parameters<MemberStore["Service"]["find"]>[0], userId: Parameters<MemberStore["Service"]["find"]>[1]) =>
      owned(database.members.values(), organizationId).find((member) => member.userId === userId)
    return MemberStore.of({
      add: (organizationId, member, newUser) =>
        step(() => {
          if (newUser !== undefined && userByEmail(database, newUser.email) !== undefined) return emailTaken(newUser.email)
          if (find(organizationId, member.userId) !== undefined) return memberAlready(member.email)
          if (newUser !== undefined) insert(database.users, newUser.id, newUser)
          insert(database.members, member.id, member)
        }),
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
          return true
        })
    })
  })
)
