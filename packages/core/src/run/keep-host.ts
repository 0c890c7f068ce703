import { DateTime, Effect, Schedule } from "effect"
import type { HostConnection } from "../host-gateway.ts"
import { HostStore } from "../host/host-store.ts"
import type { MachineId } from "../id.ts"
import { now } from "../timestamp.ts"
import { RunStore } from "./run-store.ts"

/** A host that was not heard of for this long is offline. */
const offlineAfterSeconds = 30

/** Payloads and events are kept this long after a run has ended. */
const retentionDays = 30

/**
 * Keeps a machine's hosts online, tells why they hold runs back while they do, and marks those of machines that are gone.
 * Runs in the background of its scope.
 */
export const keepHost = Effect.fn("keepHost")(function*(
  options: { readonly machineId: MachineId; readonly heartbeatMillis: number; readonly minFreeBytes: number },
  connection: HostConnection
) {
  const hosts = yield* HostStore
  const runs = yield* RunStore
  let holdReason: string | undefined

  const beat = Effect.gen(function*() {
    const free = yield* connection.worktrees.freeBytes()
    const before = holdReason
    holdReason = free < options.minFreeBytes
      ? `Only ${Math.floor(free / 1024 ** 2)} MiB are free for worktrees; ${Math.floor(options.minFreeBytes / 1024 ** 2)} MiB are needed.`
      : undefined
    if (holdReason !== undefined && before === undefined) yield* Effect.logWarning(`No run is prepared: ${holdReason}`)
    const at = yield* now
    yield* hosts.seen(options.machineId, at, holdReason)
    yield* hosts.expire(DateTime.subtract(at, { seconds: offlineAfterSeconds }), "It was not heard of any more.", at)
  })
  const forget = Effect.flatMap(now, (at) => runs.forget(DateTime.subtract(at, { days: retentionDays })))
  const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.ignoreCause(effect)

  yield* quietly(beat)
  yield* Effect.forkScoped(Effect.repeat(quietly(beat), Schedule.spaced(options.heartbeatMillis)))
  yield* Effect.forkScoped(Effect.repeat(quietly(forget), Schedule.spaced("1 hour")))
  return { held: () => holdReason !== undefined }
})
