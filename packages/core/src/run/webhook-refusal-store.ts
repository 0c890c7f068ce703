import type { Effect } from "effect"
import { Context } from "effect"
import type { AutomationId, OrganizationId } from "../id.ts"
import type { Timestamp } from "../timestamp.ts"
import type { WebhookRefusal } from "./webhook-refusal.ts"

/** Why deliveries of an automation were refused, for its people to see. One row for each reason: it cannot grow. */
export class WebhookRefusalStore extends Context.Service<WebhookRefusalStore, {
  /** Counts one more, whoever else does at the same time. Nothing is kept of an automation that is not there. */
  note(refusal: Pick<WebhookRefusal, "automationId" | "code" | "message">, at: Timestamp): Effect.Effect<void>
  /** The refusals of an automation of the organization, the latest first. */
  list(organizationId: OrganizationId, automationId: AutomationId): Effect.Effect<ReadonlyArray<WebhookRefusal>>
}>()("@coppice/core/run/WebhookRefusalStore") {}
