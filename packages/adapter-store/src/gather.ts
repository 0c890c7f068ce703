import { Deferred, Effect, Exit, Queue } from "effect"
import type { Scope } from "effect"

export interface Gathering<Item, Answer> {
  /** How many items wait at the most before those who bring more have to wait themselves. */
  readonly capacity: number
  /** How many groups are settled at the same time. */
  readonly inFlight: number
  /** A group's bounds: so many items, and so much weight unless one item alone is heavier. */
  readonly maxItems: number
  readonly maxWeight: number
  readonly weigh: (item: Item) => number
  /** Settles a group in one step, and answers each item in its place. */
  readonly settle: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>>
}

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly answer: Deferred.Deferred<Answer>
}

/**
 * Settles what concurrent callers bring in groups: whatever arrives while a group is under way makes the next one. Nobody
 * waits for a group to fill. A group that dies fails its own callers; a caller that is interrupted only stops listening.
 */
export const gather = Effect.fnUntraced(function*<Item, Answer>(
  options: Gathering<Item, Answer>
): Effect.fn.Return<(item: Item) => Effect.Effect<Answer>, never, Scope.Scope> {
  type Entry = Waiting<Item, Answer>
  const entries = yield* Queue.bounded<Entry>(options.capacity)
  const open = new Set<Entry>()
  const closed = Effect.die(new Error("The store is closed."))
  const close = (entry: Entry, answer: Effect.Effect<Answer>) => {
    open.delete(entry)
    Deferred.doneUnsafe(entry.answer, answer)
  }

  const settleGroup = (group: ReadonlyArray<Entry>) =>
    Effect.exit(options.settle(group.map((entry) => entry.item))).pipe(
      Effect.map((exit) => {
        group.forEach((entry, place) => close(entry, Exit.isSuccess(exit) ? Exit.succeed(exit.value[place]!) : exit as Exit.Exit<never>))
      })
    )

  const work = Effect.gen(function*() {
    while (true) {
      // Those who were just answered may have brought their next item, and run before the group is taken.
      yield* Effect.yieldNow
      const taken = yield* Queue.takeBetween(entries, 1, options.maxItems)
      for (const group of byWeight(taken, options.maxWeight, (entry) => options.weigh(entry.item))) yield* settleGroup(group)
    }
  })

  // Runs after the workers are gone, so that what they had in hand is answered too.
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Queue.shutdown(entries), Effect.sync(() => open.forEach((entry) => close(entry, closed))))
  )
  for (let worker = 0; worker < options.inFlight; worker++) yield* Effect.forkScoped(work)

  return (item) =>
    Effect.suspend(() => {
      const entry: Entry = { item, answer: Deferred.makeUnsafe() }
      const listen = () => {
        if (!Deferred.isDoneUnsafe(entry.answer)) open.add(entry)
        return Deferred.await(entry.answer)
      }
      if (Queue.offerUnsafe(entries, entry)) return listen()
      return Effect.flatMap(Queue.offer(entries, entry), (taken) => taken ? listen() : closed)
    })
})

/** Cuts a list into runs that each weigh no more than the maximum, or are one item. */
export const byWeight = <A>(items: ReadonlyArray<A>, maximum: number, weigh: (item: A) => number): Array<Array<A>> => {
  const groups: Array<Array<A>> = []
  let room = 0
  for (const item of items) {
    const weight = weigh(item)
    if (groups.length === 0 || weight > room) {
      groups.push([])
      room = maximum
    }
    groups.at(-1)!.push(item)
    room -= weight
  }
  return groups
}
