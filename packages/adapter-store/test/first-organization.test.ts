import type { MemberId, OrganizationId, UserId } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { at, id, migratedDatabase, replica } from "./replica.ts"

const times = { createdAt: at, updatedAt: at }

const found = (options?: { readonly first: boolean }) =>
  Effect.gen(function*() {
    const [organizationId, userId] = [id<OrganizationId>(), id<UserId>()]
    const both = { email: `${userId}@example.org`, name: "Ada", ...times }
    yield* (yield* OrganizationStore).found(
      { id: organizationId, name: "Acme", ...times },
      { id: userId, activeOrganizationId: organizationId, ...both },
      { id: id<MemberId>(), organizationId, userId, role: "owner", ...both },
      options
    )
  })

// The contract shares its database with other tests, and so has no organization to be the first.
describePostgres("the first organization of a database", () => {
  it.live("is one of twenty that are founded at once by two processes", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const processes = [yield* replica(url), yield* replica(url)]
      const founded = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, place) => processes[place % 2]!),
        (process) => Effect.result(Effect.provide(found({ first: true }), process)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(founded.filter(Result.isSuccess).length, 1)
      const store = yield* Effect.provide(OrganizationStore, processes[0]!)
      assert.strictEqual((yield* store.organizations()).length, 1)
      yield* Effect.provide(found(), processes[0]!)
      assert.strictEqual((yield* store.organizations()).length, 2)
    }))
})
