import { Effect } from "effect"
import { RunEventStore } from "./run-event-store.ts"
import { getRun } from "./run-usecases.ts"
import type { RunEvent } from "./run.ts"

/** The most of a transcript that is shown at once, in UTF-16 units: what was printed last. */
export const maxTranscriptLength = 256 * 1024

const eventsAtOnce = 1000

const cut = "[What the agent printed before is left out here. runs_events shows all that is kept, from the beginning.]\n"

/** What an event adds to the transcript. */
const textOf = ({ attempt, bytes, text, type }: RunEvent, lastAttempt: number): string => {
  if (type !== "output" && type !== "output_dropped") return ""
  const heading = attempt > 1 && attempt !== lastAttempt ? `\n[Attempt ${attempt}]\n` : ""
  return heading + (type === "output" ? text ?? "" : `\n[${bytes ?? 0} bytes of output were dropped]\n`)
}

/** What the agent of a run printed, as far as it is kept with the run: attempt after attempt, the newest part of it. */
export const readTranscript = Effect.fn("readTranscript")(function*(id: string) {
  const run = yield* getRun(id)
  const store = yield* RunEventStore
  let transcript = ""
  let [sequence, attempt, whole] = [0, 1, true]
  while (true) {
    const events = yield* store.list(run.organizationId, run.id, sequence, eventsAtOnce)
    for (const event of events) {
      const text = textOf(event, attempt)
      if (text !== "") attempt = event.attempt
      transcript += text
    }
    if (transcript.length > maxTranscriptLength) {
      transcript = transcript.slice(-maxTranscriptLength).replace(/^[\udc00-\udfff]/, "")
      whole = false
    }
    sequence = events.at(-1)?.sequence ?? sequence
    if (events.length < eventsAtOnce) return whole ? transcript : cut + transcript
  }
})
