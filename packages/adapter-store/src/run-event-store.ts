import { RunEvent } from "@coppice/core"
import { RunEventStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { arrayParameter } from "./postgres.ts"
import { escapeText, instant, recordOf } from "./record.ts"

const toEvent = recordOf(RunEvent)

const isOutput = (type: string): boolean => type === "output" || type === "setup_output"

/** Events. The row in `run_event_heads` gives out the numbers, and its lock puts those who append in a line. */
export const runEventStoreLayer = Layer.effect(
  RunEventStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient

    /** Removes the oldest output until what stays fits. The head's lock comes first, so that the sum is of all that is there. */
    const trim = Effect.fnUntraced(function*(organizationId: string, runId: string, maxOutputBytes: number) {
      const [head] = yield* sql<{ readonly outputBytes: number }>`
        SELECT output_bytes FROM run_event_heads
        WHERE organization_id = ${organizationId} AND run_id = ${runId} FOR NO KEY UPDATE`
      if (head === undefined || head.outputBytes <= maxOutputBytes) return
      yield* sql`
        WITH gone AS (
          DELETE FROM run_events WHERE organization_id = ${organizationId} AND run_id = ${runId}
          AND type IN ('output', 'setup_output') AND sequence <= (
            SELECT sequence FROM (
              SELECT sequence, sum(text_bytes) OVER (ORDER BY sequence) AS freed FROM run_events
              WHERE organization_id = ${organizationId} AND run_id = ${runId} AND type IN ('output', 'setup_output')
            ) AS oldest WHERE freed >= ${head.outputBytes - maxOutputBytes} ORDER BY sequence LIMIT 1
          ) RETURNING text_bytes
        )
        UPDATE run_event_heads SET output_bytes = output_bytes - (SELECT sum(text_bytes) FROM gone)
        WHERE organization_id = ${organizationId} AND run_id = ${runId}`
    })

    return RunEventStore.of({
      append: Effect.fn("RunEventStore.append")(function*(organizationId, runId, events, maxOutputBytes) {
        if (events.length === 0) return
        const textBytes = events.map((event) => isOutput(event.type) ? Buffer.byteLength(event.text ?? "") : 0)
        const [head] = yield* sql<{ readonly outputBytes: number }>`
          WITH head AS (
            INSERT INTO run_event_heads AS h (organization_id, run_id, last_sequence, output_bytes)
            SELECT organization_id, id, ${events.length}, ${textBytes.reduce((sum, bytes) => sum + bytes, 0)}
            FROM runs WHERE organization_id = ${organizationId} AND id = ${runId}
            ON CONFLICT (organization_id, run_id) DO UPDATE SET
              last_sequence = h.last_sequence + excluded.last_sequence,
              output_bytes = h.output_bytes + excluded.output_bytes
            RETURNING organization_id, run_id, last_sequence, output_bytes
          ),
          stored AS (
            INSERT INTO run_events
              (organization_id, run_id, sequence, at, type, attempt, status, stream, text, text_bytes, bytes)
            SELECT organization_id, run_id, last_sequence - ${events.length} + e.ordinal,
              e.at, e.type, e.attempt, e.status, e.stream, e.text, e.text_bytes, e.bytes
            FROM head CROSS JOIN unnest(
              ${arrayParameter.timestamptz(events.map((event) => instant(event.at)))},
              ${arrayParameter.text(events.map((event) => event.type))},
              ${arrayParameter.int8(events.map((event) => event.attempt))},
              ${arrayParameter.text(events.map((event) => event.status ?? null))},
              ${arrayParameter.text(events.map((event) => event.stream ?? null))},
              ${arrayParameter.text(events.map((event) => event.text === undefined ? null : escapeText(event.text)))},
              ${arrayParameter.int8(textBytes)},
              ${arrayParameter.int8(events.map((event) => event.bytes ?? null))}
            ) WITH ORDINALITY AS e (at, type, attempt, status, stream, text, text_bytes, bytes, ordinal)
          )
          SELECT output_bytes FROM head`
        if (head !== undefined && head.outputBytes > maxOutputBytes) {
          yield* sql.withTransaction(trim(organizationId, runId, maxOutputBytes))
        }
      }, Effect.orDie),
      list: Effect.fn("RunEventStore.list")(function*(organizationId, runId, after, limit) {
        const newest = after === "newest"
        const rows = yield* sql`
          SELECT sequence, at, type, attempt, status, stream, text, bytes FROM run_events
          WHERE organization_id = ${organizationId} AND run_id = ${runId} AND sequence > ${newest ? 0 : after}
          ORDER BY sequence ${sql.literal(newest ? "DESC" : "ASC")} LIMIT ${limit}`
        const events = rows.map(toEvent)
        return newest ? events.reverse() : events
      }, Effect.orDie)
    })
  })
)
