import { Effect } from "effect"

/**
 * A change of files that an interruption waits for. Promises cannot be stopped: one that was left behind would write
 * while, or after, what it belongs to is taken back.
 */
export const untorn = <A>(change: () => Promise<A>): Effect.Effect<A> => Effect.uninterruptible(Effect.promise(change))
