import { Automation, Conflict } from "@coppice/core"
import { AutomationStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { nameTaken } from "./conflict.ts"
import { columns, instant, pageBounds, pageOf, present, recordOf, reference } from "./record.ts"
import { signal } from "./run-signal.ts"

const toAutomation = recordOf(Automation)

const changeable = [
  "name",
  "prompt",
  "agent",
  "workspaceMode",
  "workspaceId",
  "timeoutSeconds",
  "maxConcurrentRuns",
  "maxAttempts"
] as const

/**
 * Automations, each with the hash of its webhook token in its own row. So whatever changes a token or a status locks the
 * row that a delivery holds in share mode while it is judged and stored: when a rotation, a pause or a removal answers,
 * no delivery that it should have stopped is still on its way.
 */
export const automationStoreLayer = Layer.effect(
  AutomationStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const notify = sql.literal(signal)
    return AutomationStore.of({
      create: Effect.fn("AutomationStore.create")(function*(automation) {
        yield* sql`INSERT INTO automations ${
          sql.insert(columns({
            id: automation.id,
            organizationId: automation.organizationId,
            name: automation.name,
            status: automation.status,
            prompt: automation.prompt,
            agent: automation.agent,
            projectId: automation.projectId,
            workspaceMode: automation.workspaceMode,
            workspaceId: automation.workspaceId,
            timeoutSeconds: automation.timeoutSeconds,
            maxConcurrentRuns: automation.maxConcurrentRuns,
            maxAttempts: automation.maxAttempts,
            ownerId: automation.ownerId,
            webhookTokenAt: instant(automation.webhookTokenAt),
            createdAt: instant(automation.createdAt),
            updatedAt: instant(automation.updatedAt)
          }))
        }`.pipe(nameTaken("automations_name_taken", "automation", automation.name))
      }),
      get: Effect.fn("AutomationStore.get")(function*(organizationId, idOrName) {
        const { id, name } = reference(idOrName)
        const [row] = yield* sql`
          SELECT * FROM automations WHERE organization_id = ${organizationId} AND (id = ${id} OR name = ${name})
          ORDER BY id = ${id} DESC NULLS LAST LIMIT 1`
        return row === undefined ? undefined : toAutomation(row)
      }, Effect.orDie),
      list: Effect.fn("AutomationStore.list")(function*(organizationId, filter, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT * FROM automations
          WHERE ${
          sql.and([
            sql`organization_id = ${organizationId}`,
            sql`id < ${before}`,
            ...(filter.projectId === undefined ? [] : [sql`project_id = ${filter.projectId}`]),
            ...(filter.status === undefined ? [] : [sql`status = ${filter.status}`])
          ])
        } ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toAutomation), page)
      }, Effect.orDie),
      update: Effect.fn("AutomationStore.update")(function*(organizationId, id, patch, at) {
        const { status } = patch
        const changes = {
          ...present(patch, changeable),
          ...(status === undefined ? {} : { status: status.to }),
          updatedAt: instant(at)
        }
        const [row] = yield* sql`
          UPDATE automations SET ${sql.update(columns(changes))}
          WHERE ${
          sql.and([
            sql`organization_id = ${organizationId}`,
            sql`id = ${id}`,
            ...(status === undefined ? [] : [sql`status = ${status.from}`])
          ])
        } RETURNING *, ${notify} AS noted`.pipe(nameTaken("automations_name_taken", "automation", patch.name ?? ""))
        return row === undefined ? undefined : toAutomation(row)
      }),
      rotateWebhookToken: Effect.fn("AutomationStore.rotateWebhookToken")(function*(organizationId, id, hash, at) {
        const rows = yield* sql`
          UPDATE automations SET webhook_token_hash = ${hash}, webhook_token_at = ${instant(at)}, updated_at = ${instant(at)}
          WHERE organization_id = ${organizationId} AND id = ${id} RETURNING id`
        return rows.length === 1
      }, Effect.orDie),
      remove: Effect.fn("AutomationStore.remove")(function*(organizationId, id) {
        // The lock comes first, in a statement of its own: it waits for deliveries that are being stored, and only a
        // statement that begins after it sees their runs.
        const removed = yield* Effect.gen(function*() {
          const [automation] = yield* sql`
            SELECT id FROM automations WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`
          if (automation === undefined) return "absent"
          const rows = yield* sql`
            DELETE FROM automations WHERE organization_id = ${organizationId} AND id = ${id} AND NOT EXISTS (
              SELECT FROM runs WHERE organization_id = ${organizationId} AND automation_id = ${id}
              AND status IN ('queued', 'preparing', 'running', 'waiting')
            ) RETURNING id`
          return rows.length === 1 ? "removed" : "busy"
        }).pipe(sql.withTransaction, Effect.orDie)
        if (removed === "busy") {
          return yield* new Conflict({
            message: "The automation still has runs that have not ended.",
            hint: "Cancel its runs, or wait for them to end."
          })
        }
        return removed === "removed"
      })
    })
  })
)
