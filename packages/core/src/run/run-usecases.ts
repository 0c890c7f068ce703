import { Effect, Option, Schema, Stream } from "effect"
import { AutomationStore } from "../automation/automation-store.ts"
import { getAutomation } from "../automation/automation-usecases.ts"
import { type Automation, automationPaused } from "../automation/automation.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import { Conflict, InvalidRequest, notFound } from "../error.ts"
import { newId, RunId } from "../id.ts"
import type { PageRequest } from "../page.ts"
import { getProject } from "../project/project-usecases.ts"
import { now } from "../timestamp.ts"
import { RunEventStore } from "./run-event-store.ts"
import { hasEnded } from "./run-policy.ts"
import { RunQueue } from "./run-queue.ts"
import { recordStatus } from "./run-journal.ts"
import { RunStore } from "./run-store.ts"
import { reportSteps } from "../tool/tool-progress.ts"
import type { Run, RunStatus, Trigger } from "./run.ts"
import { maxPayloadBytes } from "./webhook-payload.ts"

const enqueue = Effect.fn("enqueue")(function*(
  automation: Automation,
  payload: Uint8Array,
  origin: { readonly trigger: Trigger; readonly retryOf?: RunId }
) {
  if (automation.status === "paused") return yield* automationPaused(automation.name)
  return yield* (yield* RunStore).create({
    id: yield* newId(RunId),
    organizationId: automation.organizationId,
    automationId: automation.id,
    createdAt: yield* now,
    ...origin
  }, payload)
})

/** Starts a run by hand. The payload is what a webhook's body would be. */
export const startRun = Effect.fn("startRun")(function*(automationIdOrName: string, payload: unknown) {
  const bytes = new TextEncoder().encode(JSON.stringify(payload ?? {}))
  if (bytes.length > maxPayloadBytes) {
    return yield* new InvalidRequest({
      message: `The payload has ${bytes.length} bytes, and ${maxPayloadBytes} are the most.`,
      hint: "Put what is large where the agent can fetch it, and send the address."
    })
  }
  return yield* enqueue(yield* getAutomation(automationIdOrName), bytes, { trigger: "manual" })
})

const decodeRunId = Schema.decodeOption(RunId)

export const getRun = Effect.fn("getRun")(function*(id: string) {
  const { organizationId } = yield* CurrentPrincipal
  const runId = Option.getOrUndefined(decodeRunId(id))
  const run = runId === undefined ? undefined : yield* (yield* RunStore).get(organizationId, runId)
  return run ?? (yield* notFound("run", id))
})

export const listRuns = Effect.fn("listRuns")(function*(
  filter: { readonly automationId?: string; readonly projectId?: string; readonly status?: RunStatus },
  page: PageRequest
) {
  const { organizationId } = yield* CurrentPrincipal
  const { automationId, projectId, ...rest } = filter
  return yield* (yield* RunStore).list(organizationId, {
    ...rest,
    ...(automationId === undefined ? {} : { automationId: (yield* getAutomation(automationId)).id }),
    ...(projectId === undefined ? {} : { projectId: (yield* getProject(projectId)).id })
  }, page)
})

/** Cancels a queued run at once, and asks the worker of one that is under way to end it. One that has ended is a conflict. */
export const cancelRun = Effect.fn("cancelRun")(function*(id: string) {
  const run = yield* getRun(id)
  const cancelled = yield* (yield* RunStore).cancel(run.organizationId, run.id, yield* now)
  if (cancelled === undefined) return yield* notFound("run", id)
  if (cancelled.status === "succeeded" || cancelled.status === "failed") {
    return yield* new Conflict({ message: `The run has ${cancelled.status} already.` })
  }
  if (cancelled.status === "cancelled" && run.status === "queued") yield* recordStatus(cancelled)
  return cancelled
})

/** Runs the same automation on the same payload once more, as a new run. */
export const retryRun = Effect.fn("retryRun")(function*(id: string) {
  const run = yield* getRun(id)
  if (!hasEnded(run.status)) {
    return yield* new Conflict({ message: `The run is ${run.status}.`, hint: "Cancel it or wait for its end, then retry." })
  }
  const automation = yield* (yield* AutomationStore).get(run.organizationId, run.automationId)
  if (automation === undefined) return yield* notFound("automation", run.automationId)
  const payload = yield* (yield* RunStore).payload(run.organizationId, run.id)
  if (payload === undefined) {
    return yield* new Conflict({
      message: "The payload of this run is not kept any more.",
      hint: "Start a new run with automations_run, or send the webhook again."
    })
  }
  return yield* enqueue(automation, payload, { trigger: run.trigger, retryOf: run.id })
})

const progressOf = ({ attempt, queuePosition, status, waitingFor }: Run): string =>
  status === "queued"
    ? `The run is queued, at place ${queuePosition ?? 1}${waitingFor === undefined ? "" : `, and waits for: ${waitingFor}`}.`
    : `The run is ${status}, in attempt ${attempt}.`

/** The run at its end, or as it is when the time is over. */
export const waitForRun = Effect.fn("waitForRun")(function*(id: string, timeoutSeconds: number) {
  const queue = yield* RunQueue
  const report = yield* reportSteps
  let last: string | undefined
  const tell = (run: Run) => {
    const message = progressOf(run)
    if (message === last) return Effect.void
    last = message
    return report(message)
  }
  const ended = yield* queue.changes.pipe(
    Stream.merge(Stream.tick("1 second")),
    Stream.mapEffect(() => getRun(id)),
    Stream.tap(tell),
    Stream.filter((run) => hasEnded(run.status)),
    Stream.runHead,
    Effect.timeoutOption(timeoutSeconds * 1000)
  )
  return Option.isSome(ended) && Option.isSome(ended.value) ? ended.value.value : yield* getRun(id)
})

/** What happened in a run, after that sequence, or of late. */
export const listRunEvents = Effect.fn("listRunEvents")(function*(id: string, after: number | "newest", limit: number) {
  const run = yield* getRun(id)
  return yield* (yield* RunEventStore).list(run.organizationId, run.id, after, limit)
})
