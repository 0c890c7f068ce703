import { Conflict, type User } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { type Database, MemoryDatabase, step } from "./memory-database.ts"
import { insert, owned, pageOf } from "./table.ts"

const byEmail = (database: Database, email: string): User | undefined =>
  [...database.users.values()].find((user) => user.email.toLowerCase() === email.toLowerCase())

const emailTaken = (email: string) =>
  Effect.fail(
    new Conflict({ message: `The e-mail address ${email} is taken.`, hint: "Use another address." })
  )

export const organizationStoreMemory = Layer.effect(
  OrganizationStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    return OrganizationStore.of({
      found: (organization, user, owner) =>
        step(() => {
          if (byEmail(database, user.email) !== undefined) return emailTaken(user.email)
          insert(database.organizations, organization.id, organization)
          insert(database.users, user.id, user)
          insert(database.members, owner.id, owner)
        }),
      join: (_organizationId, user, member) =>
        step(() => {
          if (byEmail(database, user.email) !== undefined) return emailTaken(user.email)
          insert(database.users, user.id, user)
          insert(database.members, member.id, member)
        }),
      member: (organizationId, userId) =>
        step(() => owned(database.members.values(), organizationId).find((member) => member.userId === userId)),
      members: (organizationId, page) => step(() => pageOf(owned(database.members.values(), organizationId), page)),
      userByEmail: (email) => step(() => byEmail(database, email)),
      organizations: () =>
        step(() => [...database.organizations.values()].toSorted((left, right) => left.id < right.id ? -1 : 1))
    })
  })
)
