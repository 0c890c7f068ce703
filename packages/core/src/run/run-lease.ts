import { Clock, Effect, Queue, Schedule } from "effect"
import { type Lease, RunQueue } from "./run-queue.ts"

export interface LeaseTimes {
  /** How long a lease lasts without a heart-beat. */
  readonly leaseMillis: number
  /** How often it is renewed. */
  readonly heartbeatMillis: number
  /** How long before the end of a lease that cannot be renewed its work is ended, so that it is over by then. */
  readonly fenceMillis: number
}

/** The least time between two renewals, however often there is a reason to look. */
const minRenewalMillis = 200

/**
 * Holds a lease until there is a reason to stop: `cancelling` when the run is to be cancelled, `lease_lost` when the
 * lease is gone, or is about to go because the store could not be reached. `poke` makes it look before the next
 * heart-beat. `claimedAtMillis` is an instant before the claim: from then on, at the latest, the lease runs out.
 */
export const holdLease = Effect.fnUntraced(function*(
  lease: Lease,
  times: LeaseTimes,
  poke: Queue.Dequeue<void>,
  claimedAtMillis: number
) {
  const queue = yield* RunQueue
  let heldSince = claimedAtMillis
  while (true) {
    yield* Effect.raceFirst(Queue.take(poke), Effect.sleep(times.heartbeatMillis))
    yield* Effect.sleep(minRenewalMillis)
    const asked = yield* Clock.currentTimeMillis
    const answer = yield* Effect.retry(failing(queue.renew(lease, times.leaseMillis)), Schedule.spaced("250 millis")).pipe(
      Effect.timeoutOrElse({
        duration: Math.max(0, heldSince + times.leaseMillis - times.fenceMillis - asked),
        orElse: () => Effect.succeed("lost" as const)
      })
    )
    if (answer !== "held") return answer === "lost" ? "lease_lost" as const : answer
    heldSince = asked
  }
})

/** Turns what an adapter dies of, as a database that is away, into a failure that can be retried. */
const failing = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.catchDefect(effect, Effect.fail)
