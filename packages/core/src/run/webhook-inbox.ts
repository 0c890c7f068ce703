import type { Effect } from "effect"
import { Context } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import type { AutomationId, RunId } from "../id.ts"
import type { Limit, Usage } from "../rate-limit/rate-limit.ts"
import type { Timestamp } from "../timestamp.ts"

/** A webhook request, as far as it was read. */
export interface Delivery {
  readonly automationId: AutomationId
  readonly tokenHash: SecretHash
  /** The limit to count it against; left out when it was counted before. */
  readonly limit?: Limit
  /** The run to store with its payload; left out when there is no valid body, or none yet. */
  readonly run?: { readonly id: RunId; readonly payload: Uint8Array; readonly receivedAt: Timestamp }
}

/** What became of a delivery. `usage` is there when a limit was. */
export type Verdict =
  /** Unknown automation, or not its token: the two are not told apart. Nothing was counted or written. */
  | { readonly _tag: "Unauthorized" }
  | { readonly _tag: "RateLimited"; readonly usage?: Usage }
  | { readonly _tag: "Paused"; readonly usage?: Usage }
  /** It would be accepted, and brought no run. */
  | { readonly _tag: "Admitted"; readonly usage?: Usage }
  /** The run is durable, and queued. */
  | { readonly _tag: "Accepted"; readonly usage?: Usage }

/** Where webhook deliveries become runs. */
export class WebhookInbox extends Context.Service<WebhookInbox, {
  /**
   * Judges a delivery in one step: token, then limit, then state; if all hold and it brings a run, stores it. The
   * window is the store's clock's, and belongs to the automation, whichever token it has. An answer is given only
   * once what it says is durable.
   */
  receive(delivery: Delivery): Effect.Effect<Verdict>
}>()("@coppice/core/run/WebhookInbox") {}
