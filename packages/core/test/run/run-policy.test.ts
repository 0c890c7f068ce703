import { activeStatuses, afterLostAttempt, type Congestion, hasEnded, RunStatus, waitingFor } from "@coppice/core"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { assert, describe } from "vitest"

const free: Congestion = {
  hostOnline: true,
  hostHeld: false,
  hostActiveRuns: 0,
  hostMaxConcurrentRuns: 4,
  automationActiveRuns: 0,
  automationMaxConcurrentRuns: undefined,
  reusesWorkspace: false
}

const few = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
const congestion = Schema.Struct({
  hostOnline: Schema.Boolean,
  hostHeld: Schema.Boolean,
  hostActiveRuns: few,
  hostMaxConcurrentRuns: few,
  automationActiveRuns: few,
  automationMaxConcurrentRuns: Schema.UndefinedOr(few),
  reusesWorkspace: Schema.Boolean
})

describe("what a queued run waits for", () => {
  it("is the outermost obstacle", () => {
    const full = { ...free, hostActiveRuns: 4, automationActiveRuns: 1, automationMaxConcurrentRuns: 1, reusesWorkspace: true }
    assert.strictEqual(waitingFor({ ...full, hostOnline: false, hostHeld: true }), "host_offline")
    assert.strictEqual(waitingFor({ ...full, hostHeld: true }), "host_held")
    assert.strictEqual(waitingFor(full), "host_capacity")
    assert.strictEqual(waitingFor({ ...full, hostActiveRuns: 1 }), "workspace")
    assert.strictEqual(waitingFor({ ...full, hostActiveRuns: 1, reusesWorkspace: false }), "automation_capacity")
    assert.strictEqual(waitingFor(free), "worker")
  })

  it.prop("is a worker exactly when nothing stands in its way", [congestion], ([facts]) => {
    const cap = facts.automationMaxConcurrentRuns ?? Infinity
    const open = facts.hostOnline && !facts.hostHeld && facts.hostActiveRuns < facts.hostMaxConcurrentRuns &&
      facts.automationActiveRuns < Math.min(cap, facts.reusesWorkspace ? 1 : Infinity)
    assert.strictEqual(waitingFor(facts) === "worker", open)
  })
})

describe("a lost attempt", () => {
  const attempts = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))

  it.prop("is tried again while attempts remain, unless the run is to be cancelled", [attempts, attempts], ([attempt, max]) => {
    const next = attempt < max ? "queued" : "failed"
    assert.strictEqual(afterLostAttempt({ attempt, cancelRequested: false }, max), next)
    assert.strictEqual(afterLostAttempt({ attempt, cancelRequested: true }, max), "cancelled")
  })
})

it("a run is queued, active or has ended", () => {
  for (const status of RunStatus.literals) {
    const is = [status === "queued", activeStatuses.includes(status), hasEnded(status)]
    assert.strictEqual(is.filter((fact) => fact).length, 1, status)
  }
})
