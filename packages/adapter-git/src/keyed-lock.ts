import { Effect, Semaphore } from "effect"

/** One at a time for each key. What it knows of a key is forgotten when nobody holds or awaits it. */
export const makeKeyedLock = () => {
  const held = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const entry = held.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        entry.users += 1
        held.set(key, entry)
        return entry
      }),
      ({ semaphore }) => semaphore.withPermit(effect),
      (entry) =>
        Effect.sync(() => {
          entry.users -= 1
          if (entry.users === 0) held.delete(key)
        })
    )
}
