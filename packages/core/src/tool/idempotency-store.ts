import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganizationId, UserId } from "../id.ts"
import type { Timestamp } from "../timestamp.ts"

/** Which call an idempotency key stands for. */
export interface IdempotentCall {
  readonly organizationId: OrganizationId
  readonly userId: UserId
  readonly key: string
  /** The tool and its arguments, as a hash: the same key with other ones is a conflict. */
  readonly fingerprint: string
}

/** The first results of calls that carried an idempotency key. */
export class IdempotencyStore extends Context.Service<IdempotencyStore, {
  /**
   * Begins a call: `begun` for exactly one caller until it expires; `done` with the first result; `pending` while the
   * first has not ended; `mismatch` when the key stands for another call. Expired keys are free again.
   */
  begin(call: IdempotentCall, at: Timestamp, expiresAt: Timestamp): Effect.Effect<
    { readonly _tag: "begun" } | { readonly _tag: "pending" } | { readonly _tag: "mismatch" } | {
      readonly _tag: "done"
      readonly result: string
    }
  >
  /** Keeps the result (JSON) of a call that was begun. */
  complete(call: IdempotentCall, result: string): Effect.Effect<void>
  /** Frees the key of a call that was begun and changed nothing. */
  abandon(call: IdempotentCall): Effect.Effect<void>
}>()("@coppice/core/tool/IdempotencyStore") {}
