import type { NewRunEvent, Run, RunEvent } from "@coppice/core"
import { RunEventStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"

const isOutput = ({ type }: NewRunEvent): boolean => type === "output" || type === "setup_output"

const outputBytes = (event: NewRunEvent): number =>
  isOutput(event) ? new TextEncoder().encode(event.text ?? "").length : 0

/** Without the oldest output, as far as is needed for the rest to fit. */
const trim = (events: ReadonlyArray<RunEvent>, maxOutputBytes: number): ReadonlyArray<RunEvent> => {
  let excess = events.reduce((sum, event) => sum + outputBytes(event), 0) - maxOutputBytes
  return events.filter((event) => {
    if (excess <= 0 || !isOutput(event)) return true
    excess -= outputBytes(event)
    return false
  })
}

export const runEventStoreMemory = Layer.effect(
  RunEventStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const journalOf = (organizationId: Run["organizationId"], runId: Run["id"]) =>
      database.runs.get(runId)?.run.organizationId === organizationId
        ? database.journals.get(runId) ?? { lastSequence: 0, events: [] }
        : undefined
    return RunEventStore.of({
      append: (organizationId, runId, events, maxOutputBytes) =>
        step(() => {
          const journal = journalOf(organizationId, runId)
          if (journal === undefined || events.length === 0) return
          const { lastSequence } = journal
          const numbered = events.map((event, place) => ({ ...event, sequence: lastSequence + place + 1 }))
          database.journals.set(runId, {
            lastSequence: lastSequence + events.length,
            events: trim([...journal.events, ...numbered], maxOutputBytes)
          })
        }),
      list: (organizationId, runId, after, limit) =>
        step(() => {
          const { events } = journalOf(organizationId, runId) ?? { events: [] }
          return after === "newest"
            ? events.slice(Math.max(0, events.length - limit))
            : events.filter(({ sequence }) => sequence > after).slice(0, limit)
        })
    })
  })
)
