import { Effect, Schema, Stream } from "effect"
import { NotFound } from "../error.ts"
import { defineResource } from "../resource/resource.ts"
import { hasEnded } from "./run-policy.ts"
import { RunQueue } from "./run-queue.ts"
import { RunStore } from "./run-store.ts"
import { readTranscript } from "./run-transcript.ts"
import { getRun, listRuns } from "./run-usecases.ts"
import { Run } from "./run.ts"

const encode = Schema.encodeEffect(Run)

/** What a run's state is, so that another state is another text; what it waits for in the queue is no part of it. */
const stateOf = ({ attempt, cancelRequestedAt, status, workspaceId }: Run): string =>
  [status, attempt, cancelRequestedAt === undefined ? "" : "cancelling", workspaceId ?? ""].join(" ")

/** Tells of a run's state. What else belongs to the run is final when that is. */
const watch = {
  revision: ({ runId }: { readonly runId: string }) =>
    Effect.map(getRun(runId), (run) => ({ revision: stateOf(run), final: hasEnded(run.status) })),
  changes: Stream.unwrap(Effect.map(RunQueue, (queue) => queue.changes))
}

export const runResource = defineResource({
  uri: "coppice://runs/{runId}",
  name: "run",
  title: "Run",
  description: "A run's record, as runs_get shows it. A subscriber hears of each change of its state.",
  mimeType: "application/json",
  read: ({ runId }) =>
    Effect.map(Effect.flatMap(getRun(runId), (run) => Effect.orDie(encode(run))), (run) => JSON.stringify(run, null, 2)),
  list: (page) =>
    Effect.map(listRuns({}, page), ({ items, ...rest }) => ({
      items: items.map(({ id, status, trigger, updatedAt }) => ({
        uri: `coppice://runs/${id}`,
        name: `run ${id}`,
        title: `Run by ${trigger === "webhook" ? "a webhook" : "hand"}, ${status}`,
        lastModified: Schema.encodeSync(Run.fields.updatedAt)(updatedAt)
      })),
      ...rest
    })),
  watch
})

export const runTranscriptResource = defineResource({
  uri: "coppice://runs/{runId}/transcript",
  name: "run-transcript",
  title: "Transcript of a run",
  description: "What a run's agent printed: the last 256 Ki characters of it. runs_events shows all that is kept.",
  mimeType: "text/plain",
  read: ({ runId }) => readTranscript(runId)
})

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

const readPayload = Effect.fn("readPayload")(function*(id: string) {
  const run = yield* getRun(id)
  const payload = yield* (yield* RunStore).payload(run.organizationId, run.id)
  return payload === undefined
    ? yield* new NotFound({ message: "The payload of this run is not kept any more.", hint: "The run's record still is." })
    : utf8.decode(payload)
})

export const runPayloadResource = defineResource({
  uri: "coppice://runs/{runId}/payload",
  name: "run-payload",
  title: "Payload of a run",
  description: "The JSON that a run was started with, as it was received: up to 1 MiB, kept for 30 days after the run's end.",
  mimeType: "application/json",
  read: ({ runId }) => readPayload(runId)
})
