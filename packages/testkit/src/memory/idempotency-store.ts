import type { IdempotentCall } from "@coppice/core"
import { IdempotencyStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"

const bucketOf = ({ key, organizationId, userId }: IdempotentCall): string => JSON.stringify([organizationId, userId, key])

export const idempotencyStoreMemory = Layer.effect(
  IdempotencyStore,
  Effect.gen(function*() {
    const { calls } = yield* MemoryDatabase
    /** The row of this very call, while it has no result. */
    const begun = (call: IdempotentCall) => {
      const row = calls.get(bucketOf(call))
      return row?.fingerprint === call.fingerprint && row.result === undefined ? row : undefined
    }
    return IdempotencyStore.of({
      begin: (call, at, expiresAt) =>
        step(() => {
          const row = calls.get(bucketOf(call))
          if (row === undefined || DateTime.isLessThanOrEqualTo(row.expiresAt, at)) {
            calls.set(bucketOf(call), { fingerprint: call.fingerprint, expiresAt })
            return { _tag: "begun" as const }
          }
          if (row.fingerprint !== call.fingerprint) return { _tag: "mismatch" as const }
          return row.result === undefined ? { _tag: "pending" as const } : { _tag: "done" as const, result: row.result }
        }),
      complete: (call, result) =>
        step(() => {
          const row = begun(call)
          if (row !== undefined) calls.set(bucketOf(call), { ...row, result })
        }),
      abandon: (call) =>
        step(() => {
          if (begun(call) !== undefined) calls.delete(bucketOf(call))
        })
    })
  })
)
