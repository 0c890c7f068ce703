import { type Lease, MachineId, mayMove, newId, now, type RunId, RunStatus, runLifecycle } from "@coppice/core"
import { RunQueue, RunStore } from "@coppice/core/ports"
import { Clock, Effect, Schema } from "effect"
import { assert } from "vitest"
import { property } from "../check.ts"
import { makeQueueModel, type ModelAutomation, type ModelLease } from "./model.ts"
import { seedAutomation, seedHost, seedProject, seedRun, seedTenant } from "../seed.ts"
import { pass, type StoreCapabilities, type StorePorts } from "../store-contract.ts"

const command = Schema.Struct({
  act: Schema.Literals([
    "enqueue",
    "enqueue",
    "claim",
    "claim",
    "renew",
    "update",
    "update",
    "update",
    "cancel",
    "reap",
    "reclaim"
  ]),
  /** Which automation, lease or run, counted round. */
  which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 })),
  to: RunStatus,
  refund: Schema.Boolean,
  waitMillis: Schema.Literals([0, 0, 0, 1, 500, 999, 1000, 3000])
})

const automations: ReadonlyArray<ModelAutomation> = [
  { reuses: false, maxAttempts: 2 },
  { reuses: false, maxConcurrentRuns: 1, maxAttempts: 1 },
  { reuses: true, maxAttempts: 3 }
]

const maxConcurrentRuns = 3

/** Any history of a machine's queue, folded through the store and through the model. */
export const agreesWithTheModel = (capabilities: StoreCapabilities) =>
  property<ReadonlyArray<typeof command.Type>, StorePorts>(
    "agrees with the policies on any history",
    Schema.Array(command).check(Schema.isMaxLength(40)),
    (commands) =>
      Effect.gen(function*() {
        const queue = yield* RunQueue
        const store = yield* RunStore
        const { organization: { id: organizationId }, user } = yield* seedTenant
        const machineId = yield* newId(MachineId)
        const host = yield* seedHost(organizationId, { machineId, maxConcurrentRuns })
        const project = yield* seedProject(host)
        const seeded = yield* Effect.forEach(
          automations,
          ({ maxAttempts, maxConcurrentRuns: cap, reuses }) =>
            seedAutomation(project, user.id, {
              workspaceMode: reuses ? "reuse" : "fresh",
              maxAttempts,
              ...(cap === undefined ? {} : { maxConcurrentRuns: cap })
            })
        )
        const moves = capabilities.clock === "test"
        const leaseMillis = moves ? 1000 : 3_600_000
        const model = makeQueueModel(automations, maxConcurrentRuns)
        const ids: Array<RunId> = []
        const leases: Array<{ readonly real: Lease; readonly expected: ModelLease }> = []
        const mine = (runs: ReadonlyArray<{ readonly id: string }>) =>
          runs.map(({ id }) => ids.findIndex((known) => known === id)).filter((index) => index >= 0).toSorted((left, right) => left - right)

        for (const { act, refund, to, waitMillis, which } of commands) {
          if (moves) yield* pass(capabilities, waitMillis)
          const nowMillis = moves ? yield* Clock.currentTimeMillis : 0
          const lease = leases.length === 0 ? undefined : leases[which % leases.length]
          if (act === "enqueue") {
            const automation = which % automations.length
            ids.push((yield* seedRun(seeded[automation]!)).id)
            model.enqueue(automation)
          } else if (act === "claim") {
            const claim = yield* queue.claim(machineId, { leaseMillis, maxConcurrentRuns })
            const expected = model.claim(nowMillis, leaseMillis)
            assert.strictEqual(claim?.run.id, expected === undefined ? undefined : ids[expected.run])
            if (claim !== undefined && expected !== undefined) leases.push({ real: claim.lease, expected })
          } else if (act === "renew" && lease !== undefined) {
            const answer = yield* queue.renew(lease.real, leaseMillis)
            assert.strictEqual(answer, model.renew(lease.expected, nowMillis, leaseMillis))
          } else if (act === "update" && lease !== undefined) {
            const from = model.runs[lease.expected.run]!.status
            if (!mayMove(runLifecycle, from, to)) continue
            const moved = yield* queue.update(lease.real, from, to, {}, { refundAttempt: refund })
            assert.strictEqual(moved?.status, model.update(lease.expected, from, to, refund, nowMillis) ? to : undefined)
          } else if (act === "cancel" && ids.length > 0) {
            yield* store.cancel(organizationId, ids[which % ids.length]!, yield* now)
            model.cancel(which % ids.length)
          } else if (act === "reap") {
            assert.deepStrictEqual(mine(yield* queue.reap()), model.reap(nowMillis))
          } else if (act === "reclaim") {
            assert.deepStrictEqual(mine(yield* queue.reclaim(machineId)), model.reclaim())
          }
        }

        for (const [index, expected] of model.runs.entries()) {
          const run = yield* store.get(organizationId, ids[index]!)
          const queued = expected.status === "queued"
          assert.deepStrictEqual(
            [run?.status, run?.attempt, run?.cancelRequestedAt !== undefined, run?.queuePosition, run?.waitingFor],
            [
              expected.status,
              expected.attempt,
              expected.cancelRequested,
              queued ? model.place(index) : undefined,
              queued ? model.waits(expected) : undefined
            ]
          )
        }
      }),
    { runs: capabilities.clock === "test" ? 100 : 25 }
  )
