import { hasEnded, type NewRun, notFound, type Run } from "@coppice/core"
import { RunStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { type Database, MemoryDatabase, type RunRow, signal, step } from "./memory-database.ts"
import { describe } from "./run-record.ts"
import { insert, owned, pageOf, without } from "./table.ts"

/** Puts a run of an automation that is there in the queue. */
export const enqueue = (database: Database, run: NewRun, payload: Uint8Array): RunRow => {
  const { automation } = database.automations.get(run.automationId)!
  const project = database.projects.get(automation.projectId)
  if (project === undefined) throw new Error(`The project ${automation.projectId} of the automation is not there`)
  const row: RunRow = {
    run: {
      id: run.id,
      organizationId: run.organizationId,
      automationId: run.automationId,
      projectId: project.id,
      hostId: project.hostId,
      status: "queued",
      trigger: run.trigger,
      attempt: 0,
      ...(run.retryOf === undefined ? {} : { retryOf: run.retryOf }),
      createdAt: run.createdAt,
      updatedAt: run.createdAt
    },
    fence: 0,
    payload: payload.slice()
  }
  insert(database.runs, run.id, row)
  signal(database)
  return row
}

export const runStoreMemory = Layer.effect(
  RunStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const mine = (organizationId: Run["organizationId"], id: Run["id"]) => {
      const row = database.runs.get(id)
      return row?.run.organizationId === organizationId ? row : undefined
    }
    return RunStore.of({
      create: (run, payload) =>
        step(() =>
          database.automations.get(run.automationId)?.automation.organizationId === run.organizationId
            ? describe(database, enqueue(database, run, payload))
            : Effect.fail(notFound("automation", run.automationId))
        ),
      get: (organizationId, id) =>
        step(() => {
          const row = mine(organizationId, id)
          return row === undefined ? undefined : describe(database, row)
        }),
      list: (organizationId, filter, page) =>
        step(() => {
          const runs = owned([...database.runs.values()].map(({ run }) => run), organizationId).filter((run) =>
            (filter.automationId === undefined || run.automationId === filter.automationId) &&
            (filter.projectId === undefined || run.projectId === filter.projectId) &&
            (filter.status === undefined || run.status === filter.status)
          )
          const shown = pageOf(runs, page)
          return { ...shown, items: shown.items.map((run) => describe(database, database.runs.get(run.id)!)) }
        }),
      payload: (organizationId, id) => step(() => mine(organizationId, id)?.payload?.slice()),
      cancel: (organizationId, id, at) =>
        step(() => {
          const row = mine(organizationId, id)
          if (row === undefined) return undefined
          const { run } = row
          if (hasEnded(run.status) || (run.status !== "queued" && run.cancelRequestedAt !== undefined)) {
            return describe(database, row)
          }
          const changed: Run = run.status === "queued"
            ? { ...run, status: "cancelled", endedAt: at, updatedAt: at }
            : { ...run, cancelRequestedAt: at, updatedAt: at }
          database.runs.set(id, { ...row, run: changed })
          signal(database)
          return changed
        }),
      forget: (endedBefore) =>
        step(() => {
          for (const [id, row] of database.runs) {
            const { endedAt } = row.run
            if (endedAt === undefined || DateTime.isGreaterThanOrEqualTo(endedAt, endedBefore)) continue
            database.runs.set(id, without(row, "payload"))
            const journal = database.journals.get(id)
            if (journal !== undefined) database.journals.set(id, { ...journal, events: [] })
          }
        })
    })
  })
)
