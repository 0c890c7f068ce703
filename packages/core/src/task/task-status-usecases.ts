import { Effect } from "effect"
import { CurrentPrincipal } from "../organization/principal.ts"
import { NotFound } from "../error.ts"
import { newId, type OrganizationId, TaskStatusId } from "../id.ts"
import { defaultLimit, type PageRequest, toPage } from "../page.ts"
import { now } from "../timestamp.ts"
import { firstStatuses } from "./task-policy.ts"
import { TaskStatusStore } from "./task-status-store.ts"

/** Gives an organization the statuses that it begins with, unless it has some. */
export const seedTaskStatuses = Effect.fn("seedTaskStatuses")(function*(organizationId: OrganizationId) {
  const at = yield* now
  const statuses = yield* Effect.forEach(firstStatuses, (status, position) =>
    Effect.map(newId(TaskStatusId), (id) => ({ id, organizationId, ...status, position, createdAt: at, updatedAt: at })))
  return yield* (yield* TaskStatusStore).seed(organizationId, statuses)
})

/** All statuses of the caller's organization. Whoever asks first has them seeded, so that an organization of any age has some. */
export const taskStatuses = Effect.fn("taskStatuses")(function*() {
  const { organizationId } = yield* CurrentPrincipal
  const statuses = yield* (yield* TaskStatusStore).list(organizationId)
  return statuses.length === 0 ? yield* seedTaskStatuses(organizationId) : statuses
})

/** The statuses in their order, page by page. */
export const listTaskStatuses = Effect.fn("listTaskStatuses")(function*({ cursor, limit = defaultLimit }: PageRequest) {
  const statuses = yield* taskStatuses()
  const place = statuses.findIndex(({ id }) => id === cursor)
  const rest = cursor === undefined ? statuses : place === -1 ? [] : statuses.slice(place + 1)
  return toPage(rest.slice(0, limit + 1), limit)
})

export const getTaskStatus = Effect.fn("getTaskStatus")(function*(idOrName: string) {
  const statuses = yield* taskStatuses()
  const status = statuses.find(({ id }) => id === idOrName) ?? statuses.find(({ name }) => name === idOrName)
  return status ?? (yield* new NotFound({
    message: `No task status "${idOrName}".`,
    hint: `There are: ${statuses.map(({ name }) => name).join(", ")}.`
  }))
})
