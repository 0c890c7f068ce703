import type { Page, PageRequest } from "@coppice/core"
import { Arbitrary, Cause, Clock, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import type { ContractTest } from "./contract.ts"

/** One sentence and its proof. */
export const test = <Ports>(title: string, run: ContractTest<Ports>["run"]): ContractTest<Ports> => ({ title, run })

/** A sentence that must hold for any value. A failure is answered with the smallest value that was found to break it. */
export const property = <A, Ports>(
  title: string,
  values: Schema.Schema<A> | Arbitrary.Arbitrary<A>,
  holds: (value: A) => ContractTest<Ports>["run"],
  options: { readonly runs?: number } = {}
): ContractTest<Ports> => ({
  title,
  run: Effect.gen(function*() {
    const arbitrary = Arbitrary.isArbitrary(values) ? values : Arbitrary.schema(values)
    const result = yield* Arbitrary.checkEffect(
      arbitrary as Arbitrary.Arbitrary<A>,
      (value) =>
        Effect.catchCause(
          Effect.as(Effect.suspend(() => holds(value)), true),
          (cause) => Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.fail(Cause.pretty(cause))
        ),
      { runs: options.runs ?? 25 }
    )
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) assert.fail(failure)
  }),
  timeoutMillis: 60_000
})

/** Compares records by what they are on the wire: two equal instants may differ in what they have cached. */
export const same = <S extends Schema.Constraint>(schema: S, actual: unknown, expected: unknown) => {
  const encode = Schema.encodeUnknownSync(schema as unknown as Schema.Codec<unknown>, { onExcessProperty: "error" })
  assert.deepStrictEqual(
    actual === undefined ? undefined : encode(actual),
    expected === undefined ? undefined : encode(expected)
  )
}

/** As `same`, for records in their order. */
export const sameAll = <S extends Schema.Constraint>(
  schema: S,
  actual: ReadonlyArray<unknown>,
  expected: ReadonlyArray<unknown>
) => {
  assert.strictEqual(actual.length, expected.length)
  actual.forEach((record, place) => same(schema, record, expected[place]))
}

/** The tag of the error that an effect must fail with. */
export const failsWith = <A, E extends { readonly _tag: string }, R>(
  tag: E["_tag"],
  effect: Effect.Effect<A, E, R>
): Effect.Effect<void, never, R> =>
  Effect.map(Effect.result(effect), (result) => {
    assert.strictEqual(result._tag === "Failure" ? result.failure._tag : "it succeeded", tag)
  })

const realClock = Clock.Clock.defaultValue()

/** Waits for what must come by itself, whatever clock the test has; five real seconds are never. */
export const beforeLong = <A, E, R>(effect: Effect.Effect<A, E, R>, otherwise: string): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.sleep(5_000).pipe(
      Effect.provideService(Clock.Clock, realClock),
      Effect.andThen(Effect.sync(() => assert.fail(otherwise)))
    )
  )

/** Twenty callers at once. */
export const twenty = <A, E, R>(caller: (number: number) => Effect.Effect<A, E, R>): Effect.Effect<Array<A>, E, R> =>
  Effect.forEach(Array.from({ length: 20 }, (_, number) => number), caller, { concurrency: "unbounded" })

export const idsOf = (records: Iterable<{ readonly id: string }>): ReadonlyArray<string> =>
  [...records].map(({ id }) => id)

/** Walks a list of five records two at a time: each is seen once, newest first, and the last page says so. */
export const pagesThrough = <A extends { readonly id: string }, R>(
  records: ReadonlyArray<A>,
  list: (page: PageRequest) => Effect.Effect<Page<A>, never, R>
) =>
  Effect.gen(function*() {
    assert.strictEqual(records.length, 5)
    const newestFirst = idsOf(records).toReversed()
    assert.deepStrictEqual(idsOf((yield* list({})).items), newestFirst)
    const first = yield* list({ limit: 2 })
    assert.deepStrictEqual(idsOf(first.items), newestFirst.slice(0, 2))
    const second = yield* list({ limit: 2, cursor: first.nextCursor! })
    assert.deepStrictEqual(idsOf(second.items), newestFirst.slice(2, 4))
    const third = yield* list({ limit: 2, cursor: second.nextCursor! })
    assert.deepStrictEqual(idsOf(third.items), newestFirst.slice(4))
    assert.isUndefined(third.nextCursor)
    assert.isUndefined((yield* list({ limit: 5 })).nextCursor)
  })

export const fiveTimes = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Array<A>, E, R> =>
  Effect.forEach([1, 2, 3, 4, 5], () => effect)

/** An instant, as milliseconds of the epoch, of the years 1970 to 2099: all that a store has to keep. */
export const instants = Arbitrary.map(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_799_999 }))),
  (millis) => DateTime.makeUnsafe(millis)
)
