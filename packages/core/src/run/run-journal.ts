import { Effect } from "effect"
import type { AgentEvent } from "../agent-session/agent-launcher.ts"
import { now } from "../timestamp.ts"
import { RunEventStore } from "./run-event-store.ts"
import type { NewRunEvent, Run } from "./run.ts"

/** The most of a run's output that is kept with the run; the transcript on its host has the rest. */
export const maxOutputBytes = 4 * 1024 * 1024

const maxEventLength = 64 * 1024

type Entry = Omit<NewRunEvent, "at" | "attempt">

/** Writes down what happens in a run, in order. */
export const record = Effect.fnUntraced(function*(
  run: Pick<Run, "organizationId" | "id" | "attempt">,
  entries: ReadonlyArray<Entry>
) {
  if (entries.length === 0) return
  const at = yield* now
  const events = entries.map((entry) => ({ ...entry, at, attempt: run.attempt }))
  yield* (yield* RunEventStore).append(run.organizationId, run.id, events, maxOutputBytes)
})

/** The state that a run is in by now. */
export const recordStatus = (run: Run) =>
  record(run, [{ type: "status", status: run.status, ...(run.failure === undefined ? {} : { text: run.failure.message }) }])

/** Joins neighbouring pieces of output, so that what comes in many small writes is kept in few events. */
export const joinOutput = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<Entry> => {
  const entries: Array<Entry> = []
  for (const event of events) {
    if (event._tag === "Exited") continue
    if (event._tag === "Dropped") {
      entries.push({ type: "output_dropped", bytes: event.bytes })
      continue
    }
    const last = entries.at(-1)
    if (last?.type === "output" && last.stream === event.stream && last.text!.length + event.text.length <= maxEventLength) {
      entries[entries.length - 1] = { ...last, text: last.text + event.text }
    } else {
      entries.push({ type: "output", stream: event.stream, text: event.text })
    }
  }
  return entries
}
