import { notFound, RunStatus } from "@coppice/core"
import { RunStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { instant, pageBounds, pageOf } from "./record.ts"
import { type RunRow, toRuns } from "./run-record.ts"
import { signal } from "./run-signal.ts"

/** How many runs lose their payload and events in one statement: events are many, and locks should be brief. */
const forgetBatch = 20

export const runStoreLayer = Layer.effect(
  RunStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const notify = sql.literal(signal)
    const describe = toRuns(sql)
    // Said in the text, not as a parameter, so that the indexes of one status can serve.
    const ofStatus = new Map(RunStatus.literals.map((status) => [status, sql.literal(`status = '${status}'`)]))
    const find = Effect.fnUntraced(function*(organizationId: string, id: string) {
      const rows = yield* sql<RunRow>`SELECT * FROM runs WHERE organization_id = ${organizationId} AND id = ${id}`
      const [run] = yield* describe(rows)
      return run
    })
    return RunStore.of({
      create: Effect.fn("RunStore.create")(function*(run, payload) {
        const rows = yield* sql<RunRow>`
          WITH target AS (
            SELECT a.project_id, p.host_id FROM automations a
            JOIN projects p ON p.organization_id = a.organization_id AND p.id = a.project_id
            WHERE a.organization_id = ${run.organizationId} AND a.id = ${run.automationId} FOR KEY SHARE OF a
          ),
          run AS (
            INSERT INTO runs
              (id, organization_id, automation_id, project_id, host_id, status, trigger, retry_of, created_at, updated_at)
            SELECT ${run.id}, ${run.organizationId}, ${run.automationId}, project_id, host_id, 'queued', ${run.trigger},
              ${run.retryOf ?? null}, ${instant(run.createdAt)}, ${instant(run.createdAt)} FROM target
            RETURNING *, ${notify} AS noted
          ),
          payload AS (INSERT INTO run_payloads SELECT organization_id, id, ${payload} FROM run)
          SELECT * FROM run`.pipe(Effect.orDie)
        const [stored] = yield* describe(rows).pipe(Effect.orDie)
        return stored ?? (yield* notFound("automation", run.automationId))
      }),
      get: Effect.fn("RunStore.get")(find, Effect.orDie),
      list: Effect.fn("RunStore.list")(function*(organizationId, filter, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql<RunRow>`
          SELECT * FROM runs
          WHERE ${
          sql.and([
            sql`organization_id = ${organizationId}`,
            sql`id < ${before}`,
            ...(filter.automationId === undefined ? [] : [sql`automation_id = ${filter.automationId}`]),
            ...(filter.projectId === undefined ? [] : [sql`project_id = ${filter.projectId}`]),
            ...(filter.status === undefined ? [] : [ofStatus.get(filter.status)!])
          ])
        } ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(yield* describe(rows), page)
      }, Effect.orDie),
      payload: Effect.fn("RunStore.payload")(function*(organizationId, id) {
        const [row] = yield* sql<{ readonly payload: Uint8Array }>`
          SELECT payload FROM run_payloads WHERE organization_id = ${organizationId} AND run_id = ${id}`
        return row?.payload
      }, Effect.orDie),
      cancel: Effect.fn("RunStore.cancel")(function*(organizationId, id, at) {
        const rows = yield* sql<RunRow>`
          UPDATE runs SET
            status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END,
            ended_at = CASE status WHEN 'queued' THEN ${instant(at)}::timestamptz END,
            cancel_requested_at = CASE status WHEN 'queued' THEN cancel_requested_at ELSE ${instant(at)} END,
            updated_at = ${instant(at)}
          WHERE organization_id = ${organizationId} AND id = ${id}
          AND (status = 'queued' OR (status IN ('preparing', 'running', 'waiting') AND cancel_requested_at IS NULL))
          RETURNING *, ${notify} AS noted`
        const [run] = yield* describe(rows)
        return run ?? (yield* find(organizationId, id))
      }, Effect.orDie),
      forget: Effect.fn("RunStore.forget")(function*(endedBefore) {
        while (true) {
          const rows = yield* sql`
            WITH batch AS MATERIALIZED (
              SELECT organization_id, id FROM runs
              WHERE ended_at IS NOT NULL AND forgotten_at IS NULL AND ended_at < ${instant(endedBefore)}
              ORDER BY ended_at LIMIT ${forgetBatch} FOR NO KEY UPDATE
            ),
            payload AS (
              DELETE FROM run_payloads p USING batch b WHERE p.organization_id = b.organization_id AND p.run_id = b.id
            ),
            event AS (
              DELETE FROM run_events e USING batch b WHERE e.organization_id = b.organization_id AND e.run_id = b.id
            ),
            head AS (
              UPDATE run_event_heads h SET output_bytes = 0
              FROM batch b WHERE h.organization_id = b.organization_id AND h.run_id = b.id
            )
            UPDATE runs r SET forgotten_at = clock_timestamp()
            FROM batch b WHERE r.organization_id = b.organization_id AND r.id = b.id RETURNING r.id`
          if (rows.length === 0) return
        }
      }, Effect.orDie)
    })
  })
)
