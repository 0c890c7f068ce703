import { Effect, Schema } from "effect"
import { PageRequest } from "../page.ts"
import { Reference } from "../text.ts"
import { defineTool } from "../tool/tool.ts"
import { cancelRun, getRun, listRunEvents, listRuns, retryRun, startRun, waitForRun } from "./run-usecases.ts"
import { Run, RunEvent, RunStatus } from "./run.ts"

const runId = Reference.annotate({ description: "Id of the run" })
const automationId = Reference.annotate({ description: "Id or name of the automation" })
const projectId = Reference.annotate({ description: "Id or name of the project" })
const run = { run: Run }

const defaultWaitSeconds = 60

export const automationsRun = defineTool({
  name: "automations_run",
  title: "Run an automation",
  description: "Starts one run of an automation by hand, with the JSON that a webhook would have brought.",
  effects: "changes",
  input: {
    automationId,
    payload: Schema.optionalKey(
      Schema.Union([Schema.Record(Schema.String, Schema.Json), Schema.Array(Schema.Json)]).annotate({
        description: "A JSON object or array for the agent's prompt, up to 1 MiB; {} when left out"
      })
    )
  },
  output: run,
  run: ({ automationId, payload }) => Effect.map(startRun(automationId, payload), (run) => ({ run }))
})

export const runsList = defineTool({
  name: "runs_list",
  title: "List runs",
  description: "Lists runs, newest first, with the place in the queue of those that wait.",
  effects: "reads",
  input: {
    automationId: Schema.optionalKey(automationId),
    projectId: Schema.optionalKey(projectId),
    status: Schema.optionalKey(RunStatus),
    ...PageRequest.fields
  },
  output: { runs: Schema.Array(Run), nextCursor: Schema.optionalKey(Schema.String) },
  run: ({ cursor, limit, ...filter }) =>
    Effect.map(
      listRuns(filter, { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) }),
      ({ items, ...rest }) => ({ runs: items, ...rest })
    )
})

export const runsGet = defineTool({
  name: "runs_get",
  title: "Show a run",
  description: "Shows one run: its state, its outcome, and why it waits or failed.",
  effects: "reads",
  input: { runId },
  output: run,
  run: ({ runId }) => Effect.map(getRun(runId), (run) => ({ run }))
})

export const runsWait = defineTool({
  name: "runs_wait",
  title: "Wait for a run",
  description: "Waits until a run has ended, or the time is over, and shows it as it is then.",
  effects: "reads",
  input: {
    runId,
    timeoutSeconds: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300 })).annotate({
        description: "How long to wait, 1 to 300 seconds; 60 when left out"
      })
    )
  },
  output: run,
  run: ({ runId, timeoutSeconds }) =>
    Effect.map(waitForRun(runId, timeoutSeconds ?? defaultWaitSeconds), (run) => ({ run }))
})

export const runsCancel = defineTool({
  name: "runs_cancel",
  title: "Cancel a run",
  description: "Cancels a run: a queued one at once, a running one by ending its agent; its workspace stays.",
  effects: "destroys",
  idempotent: true,
  input: { runId },
  output: run,
  run: ({ runId }) => Effect.map(cancelRun(runId), (run) => ({ run }))
})

export const runsRetry = defineTool({
  name: "runs_retry",
  title: "Retry a run",
  description: "Starts a new run of the same automation with the same payload.",
  effects: "changes",
  input: { runId },
  output: run,
  run: ({ runId }) => Effect.map(retryRun(runId), (run) => ({ run }))
})

export const runsEvents = defineTool({
  name: "runs_events",
  title: "Show what happened in a run",
  description: "Shows a run's states, preparation and agent output in order; ask again after the last sequence for more.",
  effects: "reads",
  input: {
    runId,
    afterSequence: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "Show what came after it; 0 for all" })
    ),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
        description: "How many at the most, 1 to 1000; 200 when left out"
      })
    )
  },
  output: { events: Schema.Array(RunEvent) },
  run: ({ afterSequence, limit, runId }) =>
    Effect.map(listRunEvents(runId, afterSequence ?? 0, limit ?? 200), (events) => ({ events }))
})
