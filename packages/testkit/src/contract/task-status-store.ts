import { Name, newId, now, type OrganizationId, TaskStatus, TaskStatusId, TaskStatusType } from "@coppice/core"
import { TaskStatusStore } from "@coppice/core/ports"
import { Effect, Schema } from "effect"
import { assert } from "vitest"
import { property, sameAll, test, twenty } from "./check.ts"
import { newTaskStatuses, seedTenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const organization = Effect.map(seedTenant, ({ organization }) => organization.id)

const fields = Schema.Struct({ name: Name, type: TaskStatusType, position: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })) })

const newStatus = Effect.fnUntraced(function*(organizationId: OrganizationId, given: typeof fields.Type) {
  const at = yield* now
  return { id: yield* newId(TaskStatusId), organizationId, ...given, createdAt: at, updatedAt: at }
})

export const taskStatusStoreContract = storeContract("TaskStatusStore", () => [
  property("stores a status, and answers it as it was given", fields, (given) =>
    Effect.gen(function*() {
      const store = yield* TaskStatusStore
      const organizationId = yield* organization
      const status = yield* newStatus(organizationId, given)
      sameAll(TaskStatus, yield* store.seed(organizationId, [status]), [status])
      sameAll(TaskStatus, yield* store.list(organizationId), [status])
    })),
  test("answers the statuses in order of their positions, and none where nothing was seeded", Effect.gen(function*() {
    const store = yield* TaskStatusStore
    const organizationId = yield* organization
    assert.deepStrictEqual(yield* store.list(organizationId), [])
    const statuses = yield* newTaskStatuses(organizationId)
    sameAll(TaskStatus, yield* store.seed(organizationId, statuses.toReversed()), statuses)
    sameAll(TaskStatus, yield* store.list(organizationId), statuses)
  })),
  test("seeds nothing where there are statuses, and answers those", Effect.gen(function*() {
    const store = yield* TaskStatusStore
    const organizationId = yield* organization
    const status = yield* newStatus(organizationId, { name: "Ours", type: "started", position: 7 })
    yield* store.seed(organizationId, [status])
    sameAll(TaskStatus, yield* store.seed(organizationId, yield* newTaskStatuses(organizationId)), [status])
    sameAll(TaskStatus, yield* store.list(organizationId), [status])
  })),
  test("seeds once for twenty callers at once, who all answer the same", Effect.gen(function*() {
    const store = yield* TaskStatusStore
    // Again and again, because the first callers may still be waiting for their connections.
    for (let round = 0; round < 5; round++) {
      const organizationId = yield* organization
      const answers = yield* twenty(() =>
        Effect.flatMap(newTaskStatuses(organizationId), (statuses) => store.seed(organizationId, statuses))
      )
      const stored = yield* store.list(organizationId)
      assert.strictEqual(stored.length, 5)
      for (const answer of answers) sameAll(TaskStatus, answer, stored)
    }
  })),
  test("keeps the statuses of organizations apart", Effect.gen(function*() {
    const store = yield* TaskStatusStore
    const theirs = yield* organization
    const statuses = yield* store.seed(theirs, yield* newTaskStatuses(theirs))
    const ours = yield* organization
    assert.deepStrictEqual(yield* store.list(ours), [])
    const own = yield* newTaskStatuses(ours)
    sameAll(TaskStatus, yield* store.seed(ours, own), own)
    sameAll(TaskStatus, yield* store.list(theirs), statuses)
  }))
])
