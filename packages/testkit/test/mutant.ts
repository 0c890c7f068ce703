// How an adapter is broken on purpose.
import type { StorePorts } from "@coppice/testkit/contract"
import { MemoryDatabase, memoryStores } from "@coppice/testkit/memory"
import { Clock, type Context, Effect, Layer } from "effect"

export type Database = MemoryDatabase["Service"]

export interface Mutant {
  readonly port: string
  readonly name: string
  readonly layer: Layer.Layer<StorePorts>
}

export const healthy: Layer.Layer<StorePorts | MemoryDatabase> = memoryStores.pipe(Layer.provideMerge(MemoryDatabase.layer))

/** A port's memory adapter with some methods exchanged. */
export const mutant = <Self, Service extends object>(
  port: Context.Key<Self, Service>,
  name: string,
  change: (service: Service, database: Database) => Partial<Service>
): Mutant => ({
  port: port.key.split("/").at(-1)!,
  name,
  layer: Layer.effect(
    port,
    Effect.gen(function*() {
      const service = yield* port
      return { ...service, ...change(service, yield* MemoryDatabase) }
    })
  ).pipe(Layer.provideMerge(healthy)) as Layer.Layer<StorePorts>
})

/** The step is taken on what was there before somebody else's: as a read and a write in two transactions. */
export const torn = <K, V, A, E>(table: Map<K, V>, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    const before = new Map(table)
    yield* Effect.yieldNow
    table.clear()
    for (const [key, value] of before) table.set(key, value)
    return yield* effect
  })

/** A clock that is so much ahead. */
export const ahead = <A, E>(millis: number, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Clock.clockWith((clock) =>
    Effect.provideService(effect, Clock.Clock, {
      ...clock,
      sleep: (duration) => clock.sleep(duration),
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis
    })
  )
