import { Clock, Effect } from "effect"

/** Waits by the machine's clock: processes, locks and sockets do not follow a clock that a test holds still. */
export const wait = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const elapsed = (millis: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), Math.max(0, Math.min(millis, 2 ** 31 - 1)))
    return Effect.sync(() => clearTimeout(timer))
  })

/** Milliseconds until an instant, by the clock of whoever runs the effect; negative once it is past. */
export const millisUntil = (instant: { readonly epochMilliseconds: number }): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => instant.epochMilliseconds - now)

/** Ends an effect that takes longer; what it was doing is interrupted, and cleaned up, before this answers. */
export const within = <A, E, R, E2>(
  self: Effect.Effect<A, E, R>,
  millis: number,
  orFail: () => Effect.Effect<never, E2>
): Effect.Effect<A, E | E2, R> => Effect.raceFirst(self, Effect.andThen(elapsed(millis), Effect.suspend(orFail)))
