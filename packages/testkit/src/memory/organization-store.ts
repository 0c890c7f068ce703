import { Conflict } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert } from "./table.ts"
import { emailTaken, userByEmail } from "./user-store.ts"

const notTheFirst = Effect.fail(
  new Conflict({ message: "There is an organization already.", hint: "Sign in, or ask its owner for an invitation." })
)

export const organizationStoreMemory = Layer.effect(
  OrganizationStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const byAge = () => [...database.organizations.values()].toSorted((left, right) => left.id < right.id ? -1 : 1)
    return OrganizationStore.of({
      found: (organization, user, owner, options) =>
        step(() => {
          if (options?.first === true && database.organizations.size > 0) return notTheFirst
          if (userByEmail(database, user.email) !== undefined) return emailTaken(user.email)
          insert(database.organizations, organization.id, organization)
          insert(database.users, user.id, user)
          insert(database.members, owner.id, owner)
        }),
      organizations: () => step(byAge),
      ofUser: (userId) =>
        step(() => {
          const mine = [...database.members.values()].filter((member) => member.userId === userId)
          return byAge().flatMap((organization) =>
            mine.filter(({ organizationId }) => organizationId === organization.id).map((member) => ({ organization, member })))
        })
    })
  })
)
