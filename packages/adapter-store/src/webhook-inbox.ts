import type { Delivery, Verdict } from "@coppice/core"
import { WebhookInbox } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { gather } from "./gather.ts"
import { arrayParameter } from "./postgres.ts"
import { addHits, millis, usage } from "./rate-window.ts"
import { instant, reference } from "./record.ts"
import { signal } from "./run-signal.ts"

/**
 * Judges and stores a whole group. Its text never changes, so that each connection prepares it once.
 *
 * `automation` locks, in the order of their ids, the rows whose token was presented, in share mode: groups do not hinder
 * each other there, but a rotation, a pause or a removal waits for the groups under way, and a group that comes upon one
 * of these waits for it and goes on with the row as it is then (under READ COMMITTED, `FOR SHARE` answers the newest
 * version). That is why the token is compared again in `known`. So once a rotation or a pause has answered, no run that
 * it should have prevented appears any more. A wrong token locks and writes nothing.
 *
 * `w` counts the group's hits of each automation at once; the hit that an item itself is follows from its place among
 * them. Window rows are locked in the order of their keys. All groups lock automations first, then windows, each in
 * order, and whoever changes an automation locks nothing else that a group does: no two can wait for each other in a ring.
 */
const statement = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::int8[], $4::int8[], $5::uuid[], $6::timestamptz[], $7::bytea[])
    WITH ORDINALITY AS input (automation_id, token_hash, max, window_seconds, run_id, received_at, payload, place)
),
automation AS MATERIALIZED (
  SELECT a.organization_id, a.id, a.webhook_token_hash, a.status, a.project_id FROM automations a
  WHERE (a.id, a.webhook_token_hash) IN (SELECT automation_id, token_hash FROM input)
  ORDER BY a.id FOR SHARE OF a
),
known AS MATERIALIZED (
  SELECT i.place, i.automation_id, 'webhook:' || i.automation_id AS key, i.max, i.window_seconds,
    a.organization_id, a.status, a.project_id, i.run_id,
    count(i.max) OVER (PARTITION BY i.automation_id ORDER BY i.place) AS hit,
    count(i.max) OVER (PARTITION BY i.automation_id) AS hits
  FROM input i JOIN automation a ON a.id = i.automation_id AND a.webhook_token_hash = i.token_hash
),
w AS (
  INSERT INTO rate_windows AS w (key, count, opened_at, ends_at)
  SELECT k.key, count(*), clock.now, clock.now + max(k.window_seconds) * interval '1 second'
  FROM known k CROSS JOIN clock WHERE k.max IS NOT NULL GROUP BY k.key, clock.now ORDER BY k.key
  ${addHits} RETURNING key, count, ends_at
),
judged AS MATERIALIZED (
  SELECT k.*, w.count - k.hits + k.hit AS count, w.ends_at,
    CASE
      WHEN w.count - k.hits + k.hit > k.max THEN 'RateLimited'
      WHEN k.status <> 'active' THEN 'Paused'
      WHEN k.run_id IS NULL THEN 'Admitted'
      ELSE 'Accepted'
    END AS verdict
  FROM known k LEFT JOIN w ON w.key = k.key
),
run AS (
  INSERT INTO runs (id, organization_id, automation_id, project_id, host_id, status, trigger, created_at, updated_at)
  SELECT j.run_id, j.organization_id, j.automation_id, j.project_id, p.host_id, 'queued', 'webhook', i.received_at, i.received_at
  FROM judged j JOIN input i ON i.place = j.place
  JOIN projects p ON p.organization_id = j.organization_id AND p.id = j.project_id
  WHERE j.verdict = 'Accepted' ORDER BY j.run_id
),
payload AS (
  INSERT INTO run_payloads (organization_id, run_id, payload)
  SELECT j.organization_id, j.run_id, i.payload FROM judged j JOIN input i ON i.place = j.place
  WHERE j.verdict = 'Accepted' ORDER BY j.run_id
)
SELECT j.verdict, j.count, ${millis("j.ends_at")}, ${millis("clock.now")},
  (SELECT ${signal} FROM judged WHERE verdict = 'Accepted' LIMIT 1)
FROM input i CROSS JOIN clock LEFT JOIN judged j ON j.place = i.place ORDER BY i.place`

type Row = readonly [verdict: Verdict["_tag"] | null, count: number | null, endsAtMillis: number, nowMillis: number]

const unauthorized: Verdict = { _tag: "Unauthorized" }

const toVerdict = ({ limit }: Delivery, [_tag, count, endsAtMillis, nowMillis]: Row): Verdict => {
  if (_tag === null || _tag === "Unauthorized") return unauthorized
  return limit === undefined || count === null ? { _tag } : { _tag, usage: usage(limit, count, endsAtMillis, nowMillis) }
}

/** The inbox: deliveries are gathered while a group is being committed, for it is the commit that takes the time. */
export const webhookInboxLayer = Layer.effect(
  WebhookInbox,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const settle = Effect.fnUntraced(function*(deliveries: ReadonlyArray<Delivery>) {
      const rows = yield* sql.unsafe(statement, [
        arrayParameter.uuid(deliveries.map(({ automationId }) => automationId)),
        arrayParameter.text(deliveries.map(({ tokenHash }) => tokenHash)),
        arrayParameter.int8(deliveries.map(({ limit }) => limit?.max ?? null)),
        arrayParameter.int8(deliveries.map(({ limit }) => limit?.windowSeconds ?? null)),
        arrayParameter.uuid(deliveries.map(({ run }) => run?.id ?? null)),
        arrayParameter.timestamptz(deliveries.map(({ run }) => instant(run?.receivedAt))),
        arrayParameter.bytea(deliveries.map(({ run }) => run?.payload ?? null))
      ]).values as Effect.Effect<ReadonlyArray<Row>>
      return deliveries.map((delivery, place) => toVerdict(delivery, rows[place]!))
    }, Effect.orDie)
    const receive = yield* gather<Delivery, Verdict>({
      capacity: 1024,
      inFlight: 2,
      maxItems: 128,
      maxWeight: 8 * 1024 * 1024,
      weigh: ({ run }) => run?.payload.length ?? 0,
      settle
    })
    return WebhookInbox.of({
      // An id that is no UUID would fail the whole group.
      receive: (delivery) =>
        reference(delivery.automationId).id === null ? Effect.succeed(unauthorized) : receive(delivery)
    })
  })
)
