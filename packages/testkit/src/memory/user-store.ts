import { Conflict, type User } from "@coppice/core"
import { UserStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { type Database, MemoryDatabase, step } from "./memory-database.ts"

export const userByEmail = (database: Database, email: string): User | undefined =>
  [...database.users.values()].find((user) => user.email.toLowerCase() === email.toLowerCase())

export const emailTaken = (email: string) =>
  Effect.fail(
    new Conflict({ message: `The e-mail address ${email} is taken.`, hint: "Use another address." })
  )

export const userStoreMemory = Layer.effect(
  UserStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    return UserStore.of({
      find: (id) => step(() => database.users.get(id)),
      byEmail: (email) => step(() => userByEmail(database, email)),
      setActiveOrganization: (id, organizationId, at) =>
        step(() => {
          const user = database.users.get(id)
          const members = [...database.members.values()]
          if (!members.some((member) => member.userId === id && member.organizationId === organizationId)) return false
          if (user === undefined) return false
          database.users.set(id, { ...user, activeOrganizationId: organizationId, updatedAt: at })
          return true
        }),
      setPasswordHash: (id, passwordHash) => step(() => void database.passwordHashes.set(id, passwordHash)),
      passwordHash: (id) => step(() => database.passwordHashes.get(id))
    })
  })
)
