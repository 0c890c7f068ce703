import { hit, type Usage } from "@coppice/core"
import { WebhookInbox } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { enqueue } from "./run-store.ts"

export const webhookInboxMemory = Layer.effect(
  WebhookInbox,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    return WebhookInbox.of({
      receive: ({ automationId, limit, run, tokenHash }) =>
        step(({ millis }) => {
          const row = database.automations.get(automationId)
          if (row?.tokenHash !== tokenHash) return { _tag: "Unauthorized" as const }
          let usage: Usage | undefined
          if (limit !== undefined) {
            const bucket = `webhook:${automationId}`
            const [window, counted] = hit(limit, database.windows.get(bucket), millis)
            database.windows.set(bucket, window)
            usage = counted
          }
          const counted = usage === undefined ? {} : { usage }
          if (usage?.allowed === false) return { _tag: "RateLimited" as const, ...counted }
          if (row.automation.status !== "active") return { _tag: "Paused" as const, ...counted }
          if (run === undefined) return { _tag: "Admitted" as const, ...counted }
          const { organizationId } = row.automation
          enqueue(
            database,
            { id: run.id, organizationId, automationId, trigger: "webhook", createdAt: run.receivedAt },
            run.payload
          )
          return { _tag: "Accepted" as const, ...counted }
        })
    })
  })
)
