import { Run, waitingFor } from "@coppice/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { recordOf } from "./record.ts"

const toRun = recordOf(Run)

/** A row of `runs`, as far as it is read here before it is a record. */
export interface RunRow {
  readonly id: string
  readonly hostId: string
  readonly automationId: string
  readonly status: string
}

/** How a queued run stands: what its place is, and what decides whether it may be taken up. */
interface Standing {
  readonly id: string
  readonly ahead: number
  readonly hostOnline: boolean
  readonly hostHeld: boolean
  readonly hostActiveRuns: number
  readonly hostMaxConcurrentRuns: number
  readonly automationActiveRuns: number
  readonly automationMaxConcurrentRuns: number | null
  readonly reusesWorkspace: boolean
}

/**
 * Rows as runs; those queued with their place and what they wait for, which are computed when asked and never stored. The
 * queue ahead of a page is counted once over: for each row, only what lies between it and the row of that host before it.
 */
export const toRuns = (sql: SqlClient) => Effect.fnUntraced(function*(rows: ReadonlyArray<RunRow>) {
  const queued = rows.filter((row) => row.status === "queued")
  if (queued.length === 0) return rows.map(toRun)
  const standings = yield* sql<Standing>`
    WITH page AS (
      SELECT id, host_id, automation_id, lag(id) OVER (PARTITION BY host_id ORDER BY id) AS previous
      FROM unnest(
        ${queued.map((row) => row.id)}::uuid[],
        ${queued.map((row) => row.hostId)}::uuid[],
        ${queued.map((row) => row.automationId)}::uuid[]
      ) AS page (id, host_id, automation_id)
    )
    SELECT page.id,
      sum(between_them.count) OVER (PARTITION BY page.host_id ORDER BY page.id)::integer AS ahead,
      h.status = 'online' AS host_online,
      h.hold_reason IS NOT NULL AS host_held,
      (
        SELECT count(*)::integer FROM hosts same JOIN runs r ON r.host_id = same.id
        WHERE same.machine_id = h.machine_id AND r.status IN ('preparing', 'running', 'waiting')
      ) AS host_active_runs,
      h.max_concurrent_runs AS host_max_concurrent_runs,
      (
        SELECT count(*)::integer FROM runs r
        WHERE r.host_id = page.host_id AND r.automation_id = page.automation_id
        AND r.status IN ('preparing', 'running', 'waiting')
      ) AS automation_active_runs,
      a.max_concurrent_runs AS automation_max_concurrent_runs,
      a.workspace_mode = 'reuse' AS reuses_workspace
    FROM page
    JOIN hosts h ON h.id = page.host_id
    JOIN automations a ON a.id = page.automation_id
    CROSS JOIN LATERAL (
      SELECT count(*) FROM runs r WHERE r.host_id = page.host_id AND r.status = 'queued' AND r.id < page.id
      AND r.id >= coalesce(page.previous, '00000000-0000-0000-0000-000000000000')
    ) AS between_them`
  const standingOf = new Map(standings.map((standing) => [standing.id, standing]))
  return rows.map((row) => {
    const standing = standingOf.get(row.id)
    return toRun(standing === undefined ? row : { ...row, ...place(standing) })
  })
})

const place = (standing: Standing) => ({
  queuePosition: standing.ahead + 1,
  waitingFor: waitingFor({
    ...standing,
    automationMaxConcurrentRuns: standing.automationMaxConcurrentRuns ?? undefined
  })
})
