import type { FailureReason, Run, RunStatus, Timestamp, Trigger, WaitingFor } from "@coppice/core"
import { DateTime } from "effect"

interface Words {
  readonly text: string
  readonly kind: "" | "good" | "bad" | "warn"
}

export const statusWords: Readonly<Record<RunStatus, Words>> = {
  queued: { text: "Queued", kind: "" },
  preparing: { text: "Preparing", kind: "warn" },
  running: { text: "Running", kind: "warn" },
  waiting: { text: "Waiting", kind: "warn" },
  succeeded: { text: "Succeeded", kind: "good" },
  failed: { text: "Failed", kind: "bad" },
  cancelled: { text: "Cancelled", kind: "" }
}

export const triggerWords: Readonly<Record<Trigger, string>> = { webhook: "Webhook", manual: "By hand" }

const obstacles: Readonly<Record<WaitingFor, string>> = {
  worker: "starts as soon as a worker takes it up",
  host_offline: "its host is offline",
  host_held: "its host takes up nothing at the moment, as when its disk is full",
  host_capacity: "its host is busy with other runs",
  automation_capacity: "as many runs of this automation as may are under way",
  workspace: "another run works in the workspace"
}

const reasons: Readonly<Record<FailureReason, string>> = {
  setup: "The set-up commands failed",
  workspace: "The workspace could not be made",
  agent_unavailable: "The agent could not be started",
  agent_exit: "The agent failed",
  timeout: "It took too long",
  host_lost: "Its host was lost",
  interrupted: "It was interrupted"
}

/** What a run waits for, or what became of it, in a sentence; nothing where its status says all. */
export const runNote = ({ cancelRequestedAt, failure, queuePosition, status, waitingFor }: Run): string | undefined => {
  if (status === "queued") {
    const place = queuePosition === undefined ? "Queued" : `Number ${queuePosition} in the queue`
    return waitingFor === undefined ? place : `${place}: ${obstacles[waitingFor]}`
  }
  if (failure !== undefined) return `${reasons[failure.reason]}: ${failure.message}`
  return cancelRequestedAt !== undefined && status !== "cancelled" ? "Is being cancelled" : undefined
}

const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const

/** A length of time, in its two largest units. */
export const durationWords = (totalSeconds: number): string => {
  const first = units.findIndex(([, size]) => totalSeconds >= size)
  if (first === -1) return "under 1 s"
  const parts: Array<string> = []
  let left = totalSeconds
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.join(" ")
}

/** How long its present attempt has taken, or took. */
export const runDuration = ({ endedAt, startedAt }: Run, now: Timestamp): string | undefined =>
  startedAt === undefined
    ? undefined
    : durationWords(Math.max(0, Math.floor((DateTime.toEpochMillis(endedAt ?? now) - DateTime.toEpochMillis(startedAt)) / 1000)))
