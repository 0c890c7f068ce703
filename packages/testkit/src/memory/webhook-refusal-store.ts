import { WebhookRefusalStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"

export const webhookRefusalStoreMemory = Layer.effect(
  WebhookRefusalStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    return WebhookRefusalStore.of({
      note: ({ automationId, code, message }, at) =>
        step(() => {
          if (!database.automations.has(automationId)) return
          const key = `${automationId} ${code}`
          const { count = 0, firstAt = at } = database.webhookRefusals.get(key) ?? {}
          database.webhookRefusals.set(key, { automationId, code, message, count: count + 1, firstAt, lastAt: at })
        }),
      list: (organizationId, automationId) =>
        step(() =>
          database.automations.get(automationId)?.automation.organizationId === organizationId
            ? [...database.webhookRefusals.values()]
              .filter((refusal) => refusal.automationId === automationId)
              .toSorted((left, right) => DateTime.toEpochMillis(right.lastAt) - DateTime.toEpochMillis(left.lastAt))
            : []
        )
    })
  })
)
