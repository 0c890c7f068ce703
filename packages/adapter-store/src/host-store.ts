import { Host } from "@coppice/core"
import { HostStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { columns, escapeText, instant, pageBounds, pageOf, recordOf, reference } from "./record.ts"
import { signal } from "./run-signal.ts"

const toHost = recordOf(Host)

/** A host `h`, with the runs that its machine is busy with for any organization. */
const described = `h.*, (
  SELECT count(*)::integer FROM hosts AS same JOIN runs AS r ON r.host_id = same.id
  WHERE same.machine_id = h.machine_id AND r.status IN ('preparing', 'running', 'waiting')
) AS running`

/** Hosts: a machine's facts, once for each organization that it serves. */
export const hostStoreLayer = Layer.effect(
  HostStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const hostColumns = sql.literal(described)
    const notify = sql.literal(signal)
    return HostStore.of({
      register: Effect.fn("HostStore.register")(function*(organizationId, id, facts, at) {
        const [row] = yield* sql`
          WITH machine AS (INSERT INTO machines (id) VALUES (${facts.machineId}) ON CONFLICT DO NOTHING),
          h AS (
            INSERT INTO hosts AS h ${
          sql.insert(columns({
            id,
            organizationId,
            machineId: facts.machineId,
            name: facts.name,
            platform: facts.platform,
            agents: facts.agents,
            maxConcurrentRuns: facts.maxConcurrentRuns,
            status: "online",
            lastSeenAt: instant(at),
            holdReason: facts.holdReason,
            createdAt: instant(at),
            updatedAt: instant(at)
          }))
        }
            ON CONFLICT (machine_id, organization_id) DO UPDATE SET name = excluded.name, platform = excluded.platform,
              agents = excluded.agents, max_concurrent_runs = excluded.max_concurrent_runs, status = 'online',
              last_seen_at = excluded.last_seen_at, hold_reason = excluded.hold_reason, offline_reason = NULL,
              updated_at = excluded.updated_at
            RETURNING h.*, ${notify} AS noted
          )
          SELECT ${hostColumns} FROM h`
        return toHost(row!)
      }, Effect.orDie),
      get: Effect.fn("HostStore.get")(function*(organizationId, idOrName) {
        const { id, name } = reference(idOrName)
        const rows = yield* sql<{ readonly id: string }>`
          SELECT ${hostColumns} FROM hosts h
          WHERE h.organization_id = ${organizationId} AND (h.id = ${id} OR h.name = ${name})
          ORDER BY h.id = ${id} DESC NULLS LAST LIMIT 2`
        const row = rows.find((host) => host.id === id) ?? (rows.length === 1 ? rows[0] : undefined)
        return row === undefined ? undefined : toHost(row)
      }, Effect.orDie),
      list: Effect.fn("HostStore.list")(function*(organizationId, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT ${hostColumns} FROM hosts h
          WHERE h.organization_id = ${organizationId} AND h.id < ${before} ORDER BY h.id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toHost), page)
      }, Effect.orDie),
      seen: Effect.fn("HostStore.seen")(function*(machineId, at, holdReason) {
        // Only what was held or offline before can have made a run claimable: a plain heart-beat wakes nobody.
        yield* sql`
          WITH before AS (
            SELECT organization_id, id, status = 'offline' OR hold_reason IS NOT NULL AS stopped
            FROM hosts WHERE machine_id = ${machineId} ORDER BY organization_id, id FOR NO KEY UPDATE
          )
          UPDATE hosts AS h SET status = 'online', last_seen_at = ${instant(at)}, hold_reason = ${holdReason === undefined ? null : escapeText(holdReason)},
            offline_reason = NULL, updated_at = ${instant(at)}
          FROM before WHERE h.organization_id = before.organization_id AND h.id = before.id
          RETURNING CASE WHEN before.stopped THEN ${notify} END`
      }, Effect.orDie),
      expire: Effect.fn("HostStore.expire")(function*(lastSeenBefore, reason, at) {
        yield* sql`
          UPDATE hosts SET status = 'offline', offline_reason = ${escapeText(reason)}, updated_at = ${instant(at)}
          WHERE status = 'online' AND last_seen_at < ${instant(lastSeenBefore)}`
      }, Effect.orDie)
    })
  })
)
