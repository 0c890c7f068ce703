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
  /** Lets every group go, those there are and those to come, until the scope closes. */
  const open = Effect.forkScoped(Effect.forever(Effect.andThen(
    Effect.sync(() => groups.forEach(({ gate }) => Deferred.doneUnsafe(gate, Effect.void))),
    Effect.sleep("1 millis")
  )))
  return { double, groups, open }
})

/** The first group is under way, and every caller so far has had its turn: nothing more happens until a gate opens. */
const settleDown = Effect.fnUntraced(function*(groups: ReadonlyArray<unknown>) {
  while (groups.length === 0) yield* Effect.sleep("1 millis")
  for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
})

it.live("makes a group of what came while another was under way, and answers each its own", () =>
  Effect.gen(function*() {
    const { double, groups, open } = yield* doubling({})
    const fibers = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (item) => Effect.forkChild(double(item)))
    yield* settleDown(groups)
    yield* open
    assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [2, 4, 6, 8, 10, 12])
    assert.isAtMost(groups.length, 3)
    assert.isTrue(groups.every(({ items }) => items.length <= 4))
  }).pipe(Effect.scoped))

it.live("fails every caller of a group that dies, and goes on", () =>
  Effect.gen(function*() {
    const { double, groups, open } = yield* doubling({})
    const fibers = yield* Effect.forEach([1, 13, 2, 3], (item) => Effect.forkChild(Effect.exit(double(item))))
    yield* settleDown(groups)
    yield* open
    const exits = yield* Fiber.joinAll(fibers)
    const unlucky = groups.find(({ items }) => items.includes(13))!
    assert.strictEqual(exits.filter(Exit.hasDies).length, unlucky.items.length)
    assert.strictEqual(yield* double(5), 10)
  }).pipe(Effect.scoped))

it.live("is not hurt by a caller who leaves", () =>
  Effect.gen(function*() {
    const { double, groups, open } = yield* doubling({})
    const [leaving, staying] = yield* Effect.forEach([1, 2], (item) => Effect.forkChild(double(item)))
    yield* settleDown(groups)
    yield* Fiber.interrupt(leaving!)
    yield* open
    assert.strictEqual(yield* Fiber.join(staying!), 4)
  }).pipe(Effect.scoped))

it.live("lets callers wait when it is full, and loses none", () =>
  Effect.gen(function*() {
    const { double, groups, open } = yield* doubling({ capacity: 2 })
    const items = Array.from({ length: 20 }, (_, item) => item + 20)
    const all = yield* Effect.forkChild(Effect.forEach(items, double, { concurrency: "unbounded" }))
    yield* settleDown(groups)
    assert.strictEqual(groups.length, 1)
    yield* open
    assert.deepStrictEqual(yield* Fiber.join(all), items.map((item) => item * 2))
  }).pipe(Effect.scoped))

it.live("leaves nobody waiting when it closes", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const { double, groups } = yield* Scope.provide(doubling({ capacity: 2 }), scope)
    const fibers = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8, 9], (item) => Effect.forkChild(double(item)))
    yield* settleDown(groups)
    yield* Scope.close(scope, Exit.void)
    const exits = yield* Effect.forEach(fibers, Fiber.await).pipe(Effect.timeout("1 second"))
    assert.isTrue(exits.every(Exit.isFailure))
    assert.isTrue(Exit.isFailure(yield* Effect.exit(double(1)).pipe(Effect.timeout("1 second"))))
  }))

it("cuts groups by weight, and lets one that is too heavy be a group of its own", () => {
  assert.deepStrictEqual(byWeight([1, 2, 3, 9, 1, 1], 5, (item) => item), [[1, 2], [3], [9], [1, 1]])
})
