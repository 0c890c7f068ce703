import { Schema } from "effect"
import { ErrorCode } from "../error-code.ts"
import { AutomationId } from "../id.ts"
import { Timestamp } from "../timestamp.ts"

/** Deliveries with the automation's own token that started no run, all of one reason together. */
export const WebhookRefusal = Schema.Struct({
  automationId: AutomationId,
  code: ErrorCode,
  message: Schema.String.annotate({ description: "What the last of them was told" }),
  count: Schema.Int,
  firstAt: Timestamp,
  lastAt: Timestamp
})
export type WebhookRefusal = typeof WebhookRefusal.Type
