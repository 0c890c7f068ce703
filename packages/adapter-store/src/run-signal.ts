import { PgClient } from "@effect/sql-pg"
import { Effect, Queue, Schedule, Stream } from "effect"

const channel = "coppice_runs"

/**
 * Tells every listener, once the transaction commits, that a run may have become claimable or is to be cancelled. It
 * stands in `RETURNING`, so that a statement which changed nothing wakes nobody; repeats in a transaction are one.
 */
export const signal = `pg_notify('${channel}', '')`

/** How long a lost listener waits before it tries again: from 50 ms, doubled up to 5 s. */
const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")])

/**
 * Emits at the start, at each signal, and whenever the listening connection was lost and is back, since signals sent
 * meanwhile are gone. Signals that a slow reader has not taken yet are one.
 */
export const runSignals = (client: PgClient.PgClient): Stream.Stream<void> =>
  Stream.callback<void>((changes) =>
    Effect.gen(function*() {
      const notifications = yield* client.listen(channel)
      while (true) {
        Queue.offerUnsafe(changes, undefined)
        yield* Queue.takeAll(notifications)
      }
    }).pipe(Effect.scoped, Effect.retry(backoff), Effect.orDie), { bufferSize: 1, strategy: "sliding" })
