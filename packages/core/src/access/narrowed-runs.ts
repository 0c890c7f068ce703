import { Effect } from "effect"
import type { AutomationStore } from "../automation/automation-store.ts"
import { notFound } from "../error.ts"
import type { RunEventStore } from "../run/run-event-store.ts"
import type { RunQueue } from "../run/run-queue.ts"
import type { RunStore } from "../run/run-store.ts"
import { ifSeen, outside, seen, seenPage, sees, type View } from "./view.ts"

type Automations = AutomationStore["Service"]
type Runs = RunStore["Service"]
type RunEvents = RunEventStore["Service"]
type Queue = RunQueue["Service"]

export const narrowedAutomations = (store: Automations, view: View): Automations => {
  const get: Automations["get"] = (organizationId, idOrName) => seen(view, store.get(organizationId, idOrName))
  return {
    create: (automation) => sees(view)(automation) ? store.create(automation) : outside,
    get,
    list: (organizationId, filter, page) =>
      seenPage(view, page, (page) => store.list(organizationId, { ...view.only, ...filter }, page)),
    update: (organizationId, id, ...rest) =>
      ifSeen(get(organizationId, id), () => store.update(organizationId, id, ...rest), undefined),
    rotateWebhookToken: (organizationId, id, ...rest) =>
      ifSeen(get(organizationId, id), () => store.rotateWebhookToken(organizationId, id, ...rest), false),
    remove: (organizationId, id) => ifSeen(get(organizationId, id), () => store.remove(organizationId, id), false)
  }
}

export const narrowedRuns = (store: Runs, view: View, automations: Automations): Runs => {
  const get: Runs["get"] = (organizationId, id) => seen(view, store.get(organizationId, id))
  return {
    create: (run, payload) =>
      Effect.flatMap(seen(view, automations.get(run.organizationId, run.automationId)), (automation) =>
        automation === undefined ? Effect.fail(notFound("automation", run.automationId)) : store.create(run, payload)),
    get,
    list: (organizationId, filter, page) =>
      seenPage(view, page, (page) => store.list(organizationId, { ...view.only, ...filter }, page)),
    payload: (organizationId, id) => ifSeen(get(organizationId, id), () => store.payload(organizationId, id), undefined),
    cancel: (organizationId, id, at) => ifSeen(get(organizationId, id), () => store.cancel(organizationId, id, at), undefined),
    forget: () => outside
  }
}

export const narrowedRunEvents = (store: RunEvents, view: View, runs: Runs): RunEvents => {
  const run = (...[organizationId, id]: Parameters<Runs["get"]>) => seen(view, runs.get(organizationId, id))
  return {
    append: (organizationId, runId, ...rest) =>
      ifSeen(run(organizationId, runId), () => store.append(organizationId, runId, ...rest), undefined),
    list: (organizationId, runId, ...rest) =>
      ifSeen(run(organizationId, runId), () => store.list(organizationId, runId, ...rest), [])
  }
}

/** That something may have changed is all that the queue tells anybody but the workers. */
export const narrowedQueue = ({ changes }: Queue): Queue => ({
  claim: () => outside,
  renew: () => outside,
  update: () => outside,
  reap: () => outside,
  reclaim: () => outside,
  changes
})
