import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { byWeight, gather } from "../src/gather.ts"

/** Doubles numbers, group by group; each group waits until it is let go. */
const doubling = Effect.fnUntraced(function*(options: { readonly inFlight?: number; readonly capacity?: number }) {
  const groups: Array<{ readonly items: ReadonlyArray<number>; readonly gate: Deferred.Deferred<void> }> = []
  const double = yield* gather<number, number>({
    capacity: options.capacity ?? 100,
    inFlight: options.inFlight ?? 1,
    maxItems: 4,
    maxWeight: 1000,
    weigh: (item) => item,
    settle: (items) =>
      Effect.gen(function*() {
        const gate = Deferred.makeUnsafe<void>()
        groups.push({ items, gate })
        yield* Deferred.await(gate)
        return items.includes(13) ? yield* Effect.die(new Error("unlucky")) : items.map((item) => item * 2)
      })
  })
  const open = (place: number) => Deferred.succeed(groups[place]!.gate, undefined)
  return { double, groups, open }
})

const settleDown = Effect.sleep("5 millis")

it.live("makes a group of what came while another was under way, and answers each its own", () =>
  Effect.gen(function*() {
    const { double, groups, open } = yield* doubling({})
    const fibers = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (item) => Effect.forkChild(double(item)))
    yield* settleDown
    yield* open(0)
    yield* settleDown
    yield* open(1)
    assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [2, 4, 6, 8, 10, 12])
    assert.strictEqual(groups.length, 2)
    assert.isTrue(groups.every(({ items }) => items.length <= 4))
  }).pipe(Effect.scoped))

it.live("fails every caller of a group that dies, and goes on", () =>
  Effect.gen(function*() {
    const { double, groups, open } = yield* doubling({})
    const fibers = yield* Effect.forEach([1, 13, 2, 3], (item) => Effect.forkChild(Effect.exit(double(item))))
    yield* settleDown
    const unlucky = groups[0]!.items.length
    yield* open(0)
    yield* settleDown
    if (groups.length > 1) yield* open(1)
    const exits = yield* Fiber.joinAll(fibers)
    assert.strictEqual(exits.filter(Exit.hasDies).length, unlucky)
    const after = yield* Effect.forkChild(double(5))
    yield* settleDown
    yield* open(groups.length - 1)
    assert.strictEqual(yield* Fiber.join(after), 10)
  }).pipe(Effect.scoped))

it.live("is not hurt by a caller who leaves", () =>
  Effect.gen(function*() {
    const { double, open } = yield* doubling({})
    const [leaving, staying] = yield* Effect.forEach([1, 2], (item) => Effect.forkChild(double(item)))
    yield* settleDown
    yield* Fiber.interrupt(leaving!)
    yield* open(0)
    assert.strictEqual(yield* Fiber.join(staying!), 4)
  }).pipe(Effect.scoped))

it.live("lets callers wait when it is full, and loses none", () =>
  Effect.gen(function*() {
    const { double, groups, open } = yield* doubling({ capacity: 2 })
    const items = Array.from({ length: 20 }, (_, item) => item + 20)
    const all = yield* Effect.forkChild(Effect.forEach(items, double, { concurrency: "unbounded" }))
    for (let group = 0; all.pollUnsafe() === undefined; group++) {
      yield* settleDown
      if (group < groups.length) yield* open(group)
    }
    assert.deepStrictEqual(yield* Fiber.join(all), items.map((item) => item * 2))
  }).pipe(Effect.scoped))

it.live("leaves nobody waiting when it closes", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const { double } = yield* Scope.provide(doubling({ capacity: 2 }), scope)
    const fibers = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8, 9], (item) => Effect.forkChild(double(item)))
    yield* settleDown
    yield* Scope.close(scope, Exit.void)
    const exits = yield* Effect.forEach(fibers, Fiber.await).pipe(Effect.timeout("1 second"))
    assert.isTrue(exits.every(Exit.isFailure))
    assert.isTrue(Exit.isFailure(yield* Effect.exit(double(1)).pipe(Effect.timeout("1 second"))))
  }))

it("cuts groups by weight, and lets one that is too heavy be a group of its own", () => {
  assert.deepStrictEqual(byWeight([1, 2, 3, 9, 1, 1], 5, (item) => item), [[1, 2], [3], [9], [1, 1]])
})
