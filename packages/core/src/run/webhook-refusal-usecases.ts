import { Effect } from "effect"
import { getAutomation } from "../automation/automation-usecases.ts"
import { WebhookRefusalStore } from "./webhook-refusal-store.ts"

/** Why webhook deliveries of an automation were refused, the latest reason first. */
export const listWebhookRefusals = Effect.fn("listWebhookRefusals")(function*(idOrName: string) {
  const automation = yield* getAutomation(idOrName)
  return yield* (yield* WebhookRefusalStore).list(automation.organizationId, automation.id)
})
