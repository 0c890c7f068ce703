import { PgClient } from "@effect/sql-pg"
import type { Lease } from "@coppice/core"
import { afterLostAttempt, Automation, hasEnded } from "@coppice/core"
import { RunQueue } from "@coppice/core/ports"
import { Effect, Layer, Stream } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { columns, failureColumns, present, recordOf } from "./record.ts"
import { toProject } from "./project-store.ts"
import { type RunRow, toRuns } from "./run-record.ts"
import { runSignals, signal } from "./run-signal.ts"

const toAutomation = recordOf(Automation)

interface LeasedRow extends RunRow {
  readonly organizationId: Lease["organizationId"]
  readonly id: Lease["runId"]
  readonly fence: number
  readonly attempt: number
  readonly cancelRequestedAt: string | null
}

const hostLost = "The host was lost while it worked on the run, and no attempt is left."

/**
 * The queue is the table of runs. A claim first locks the row of its machine, in a statement of its own: claims on one
 * machine follow one another, and each counts, in a statement that begins after the lock, what all before it took up.
 * Both caps are exact by that alone, because an automation's runs all belong to one machine.
 */
export const runQueueLayer = Layer.effect(
  RunQueue,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const notify = sql.literal(signal)
    const describe = toRuns(sql)
    const ofLease = (lease: Lease) =>
      sql`organization_id = ${lease.organizationId} AND id = ${lease.runId} AND fence = ${lease.fence}
        AND lease_expires_at > clock_timestamp()`
    const leaseFor = (leaseMillis: number) => sql`clock_timestamp() + ${leaseMillis} * interval '1 millisecond'`

    const takeUp = Effect.fnUntraced(function*(machineId: string, leaseMillis: number, maxConcurrentRuns: number) {
      const machines = yield* sql`SELECT id FROM machines WHERE id = ${machineId} FOR NO KEY UPDATE`
      if (machines.length === 0) return undefined
      // A queued run that somebody has locked is being cancelled: the next one is taken.
      const [row] = yield* sql<LeasedRow>`
        WITH active AS MATERIALIZED (
          SELECT r.automation_id, count(*) FROM hosts h JOIN runs r ON r.host_id = h.id
          WHERE h.machine_id = ${machineId} AND r.status IN ('preparing', 'running', 'waiting') GROUP BY r.automation_id
        ),
        occupied AS MATERIALIZED (
          SELECT a.id FROM active JOIN automations a ON a.id = active.automation_id
          WHERE active.count >= CASE a.workspace_mode WHEN 'reuse' THEN 1 ELSE a.max_concurrent_runs END
        ),
        next AS MATERIALIZED (
          SELECT oldest.* FROM hosts h CROSS JOIN LATERAL (
            SELECT r.organization_id, r.id FROM runs r
            WHERE r.host_id = h.id AND r.status = 'queued' AND r.automation_id NOT IN (SELECT id FROM occupied)
            ORDER BY r.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
          ) AS oldest
          WHERE h.machine_id = ${machineId} AND (SELECT coalesce(sum(count), 0) FROM active) < ${maxConcurrentRuns}
          ORDER BY oldest.id LIMIT 1
        )
        UPDATE runs r SET status = 'preparing', attempt = r.attempt + 1, fence = r.fence + 1,
          lease_expires_at = ${leaseFor(leaseMillis)}, started_at = clock_timestamp(), updated_at = clock_timestamp()
        FROM next WHERE r.organization_id = next.organization_id AND r.id = next.id RETURNING r.*`
      if (row === undefined) return undefined
      const { organizationId, id: runId, automationId, fence } = row
      const [run] = yield* describe([row])
      const [automation] = yield* sql`
        SELECT * FROM automations WHERE organization_id = ${organizationId} AND id = ${automationId}`
      const [project] = yield* sql`
        SELECT p.* FROM automations a JOIN projects p ON p.organization_id = a.organization_id AND p.id = a.project_id
        WHERE a.organization_id = ${organizationId} AND a.id = ${automationId}`
      const [stored] = yield* sql<{ readonly payload: Uint8Array }>`
        SELECT payload FROM run_payloads WHERE organization_id = ${organizationId} AND run_id = ${runId}`
      return {
        lease: { organizationId, runId, fence },
        run: run!,
        automation: toAutomation(automation!),
        project: toProject(project!),
        payload: stored!.payload
      }
    })

    /** Settles the leased runs that `which` names, as core's policy says of each; nobody else can touch them meanwhile. */
    const settle = Effect.fnUntraced(function*(which: Fragment, locking: Fragment) {
      const lost = yield* sql<LeasedRow & { readonly maxAttempts: number }>`
        SELECT r.*, a.max_attempts FROM runs r
        JOIN automations a ON a.organization_id = r.organization_id AND a.id = r.automation_id
        WHERE r.status IN ('preparing', 'running', 'waiting') AND ${which}
        ORDER BY r.organization_id, r.id FOR NO KEY UPDATE OF r ${locking}`
      if (lost.length === 0) return []
      const outcomes = lost.map(({ attempt, cancelRequestedAt, maxAttempts }) =>
        afterLostAttempt({ attempt, cancelRequested: cancelRequestedAt !== null }, maxAttempts)
      )
      const settled = yield* sql<RunRow>`
        UPDATE runs r SET status = outcome.status, lease_expires_at = NULL,
          started_at = CASE outcome.status WHEN 'queued' THEN NULL ELSE r.started_at END,
          ended_at = CASE outcome.status WHEN 'queued' THEN NULL ELSE clock_timestamp() END,
          failure_reason = CASE outcome.status WHEN 'failed' THEN 'host_lost' ELSE r.failure_reason END,
          failure_message = CASE outcome.status WHEN 'failed' THEN ${hostLost} ELSE r.failure_message END,
          updated_at = clock_timestamp()
        FROM unnest(${lost.map((run) => run.organizationId)}::uuid[], ${lost.map((run) => run.id)}::uuid[], ${outcomes}::text[])
          AS outcome (organization_id, id, status)
        WHERE r.organization_id = outcome.organization_id AND r.id = outcome.id RETURNING r.*, ${notify} AS noted`
      return yield* describe(settled)
    })

    // One listening connection for all who follow, and only while somebody does. A newcomer gets the signal before his
    // coming too, so that none falls between his look at the queue and his first wait.
    const changes = yield* Stream.share(runSignals(sql), { capacity: 1, strategy: "sliding", replay: 1 })

    return RunQueue.of({
      claim: Effect.fn("RunQueue.claim")(
        (machineId, options) =>
          sql.withTransaction(takeUp(machineId, options.leaseMillis, options.maxConcurrentRuns)),
        Effect.orDie
      ),
      renew: Effect.fn("RunQueue.renew")(function*(lease, leaseMillis) {
        const [row] = yield* sql<{ readonly cancelRequestedAt: string | null }>`
          UPDATE runs SET lease_expires_at = ${leaseFor(leaseMillis)} WHERE ${ofLease(lease)} RETURNING cancel_requested_at`
        return row === undefined ? "lost" : row.cancelRequestedAt === null ? "held" : "cancelling"
      }, Effect.orDie),
      update: Effect.fn("RunQueue.update")(function*(lease, from, to, patch, options) {
        const changes = {
          status: to,
          ...present(patch, ["workspaceId", "agentSessionId", "exitCode"]),
          ...(patch.failure === undefined ? {} : failureColumns(patch.failure))
        }
        const leaves = to === "queued" || hasEnded(to)
        const rows = yield* sql<RunRow>`
          UPDATE runs SET ${
          sql.csv([
            sql`${sql.update(columns(changes))}`,
            sql`updated_at = clock_timestamp()`,
            ...(leaves ? [sql`lease_expires_at = NULL`] : []),
            ...(hasEnded(to) ? [sql`ended_at = clock_timestamp()`] : []),
            ...(to === "queued" ? [sql`started_at = NULL`] : []),
            ...(to === "queued" && options?.refundAttempt === true ? [sql`attempt = attempt - 1`] : [])
          ])
        } WHERE ${ofLease(lease)} AND status = ${from} RETURNING * ${leaves ? sql`, ${notify} AS noted` : sql``}`
        const [run] = yield* describe(rows)
        return run
      }, Effect.orDie),
      reap: Effect.fn("RunQueue.reap")(
        () =>
          sql.withTransaction(settle(sql`r.lease_expires_at <= clock_timestamp()`, sql.literal("SKIP LOCKED"))),
        Effect.orDie
      ),
      reclaim: Effect.fn("RunQueue.reclaim")(
        (machineId) =>
          sql.withTransaction(
            settle(
              sql`(r.organization_id, r.host_id) IN (SELECT organization_id, id FROM hosts WHERE machine_id = ${machineId})`,
              sql.literal("")
            )
          ),
        Effect.orDie
      ),
      changes
    })
  })
)
