import { type Timestamp, WebhookRefusal } from "@coppice/core"
import { WebhookRefusalStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { gather } from "./gather.ts"
import { arrayParameter } from "./postgres.ts"
import { escapeText, instant, recordOf } from "./record.ts"

const toRefusal = recordOf(WebhookRefusal)

interface Note extends Pick<WebhookRefusal, "automationId" | "code" | "message"> {
  readonly at: Timestamp
}

/** Rows are locked in the order of their keys, so that no two groups wait for each other in a ring. */
const statement = `
  INSERT INTO webhook_refusals AS r (automation_id, code, message, count, first_at, last_at)
  SELECT n.automation_id, n.code, max(n.message), count(*), min(n.at), max(n.at)
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) AS n (automation_id, code, message, at)
  JOIN automations a ON a.id = n.automation_id
  GROUP BY n.automation_id, n.code ORDER BY n.automation_id, n.code
  ON CONFLICT (automation_id, code) DO UPDATE SET
    count = r.count + excluded.count, message = excluded.message, last_at = greatest(r.last_at, excluded.last_at)`

/** Who sends too much sends much of it: what is refused at once is written down at once. */
export const webhookRefusalStoreLayer = Layer.effect(
  WebhookRefusalStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const settle = Effect.fnUntraced(function*(notes: ReadonlyArray<Note>) {
      yield* sql.unsafe(statement, [
        arrayParameter.uuid(notes.map(({ automationId }) => automationId)),
        arrayParameter.text(notes.map(({ code }) => code)),
        arrayParameter.text(notes.map(({ message }) => escapeText(message))),
        arrayParameter.timestamptz(notes.map(({ at }) => instant(at)))
      ])
      return notes.map(() => undefined)
    }, Effect.orDie)
    const note = yield* gather<Note, void>({
      capacity: 1024,
      inFlight: 1,
      maxItems: 256,
      maxWeight: 256,
      weigh: () => 1,
      settle
    })
    return WebhookRefusalStore.of({
      note: (refusal, at) => note({ ...refusal, at }),
      list: Effect.fn("WebhookRefusalStore.list")(function*(organizationId, automationId) {
        const rows = yield* sql`
          SELECT r.* FROM webhook_refusals r JOIN automations a ON a.id = r.automation_id
          WHERE a.organization_id = ${organizationId} AND a.id = ${automationId} ORDER BY r.last_at DESC, r.code`
        return rows.map(toRefusal)
      }, Effect.orDie)
    })
  })
)
