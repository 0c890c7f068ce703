import { newId, type NewRunEvent, RunEvent, RunId } from "@coppice/core"
import { RunEventStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { instants, property, sameAll, test, twenty } from "./check.ts"
import { seedRun, seedWorld } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const plenty = 1024 * 1024

const at = DateTime.makeUnsafe("2026-01-02T03:04:05.678Z")

const output = (text: string): NewRunEvent => ({ type: "output", stream: "stdout", at, attempt: 1, text })
const progress = (text: string): NewRunEvent => ({ type: "progress", at, attempt: 1, text })

const { sequence: _, at: __, ...eventFields } = RunEvent.fields

/** Any events, with any text: agents print what they like. */
const anyEvents = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.all({
      at: instants,
      rest: Arbitrary.schema(Schema.Struct({
        ...eventFields,
        attempt: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 })),
        bytes: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 40 })))
      }))
    }),
    ({ at, rest }): NewRunEvent => ({ ...rest, at })
  ),
  { maxLength: 8 }
)

const isOutput = ({ type }: NewRunEvent): boolean => type === "output" || type === "setup_output"
const bytesOf = ({ text = "" }: NewRunEvent): number => new TextEncoder().encode(text).length
const sum = (events: ReadonlyArray<NewRunEvent>): number => events.reduce((total, event) => total + bytesOf(event), 0)

/** What a cap leaves of a journal: the newest output that fits, and all that is no output. */
const capped = (events: ReadonlyArray<RunEvent>, maxOutputBytes: number): ReadonlyArray<RunEvent> => {
  let left = events
  while (sum(left.filter(isOutput)) > maxOutputBytes) {
    const oldest = left.find(isOutput)
    left = left.filter((event) => event !== oldest)
  }
  return left
}

/** Appends, each with a cap, as output of some sizes between other events. */
const history = Schema.Array(Schema.Struct({
  maxOutputBytes: Schema.Literals([0, 5, 20, 50, plenty]),
  events: Schema.Array(Schema.Struct({
    kind: Schema.Literals(["output", "output", "setup_output", "progress"]),
    text: Schema.Literals(["", "a", "äöü", "1234567890", "𝔘nicode"])
  })).check(Schema.isMaxLength(4))
})).check(Schema.isMaxLength(8))

export const runEventStoreContract = storeContract("RunEventStore", () => [
  property("adds events in their order, numbered from 1, and answers them as they were given", anyEvents, (events) =>
    Effect.gen(function*() {
      const store = yield* RunEventStore
      const run = yield* seedRun((yield* seedWorld()).automation)
      yield* store.append(run.organizationId, run.id, events, plenty)
      const numbered = events.map((event, place) => ({ ...event, sequence: place + 1 }))
      sameAll(RunEvent, yield* store.list(run.organizationId, run.id, 0, 100), numbered)
    })),
  test("goes on where the last append ended, and numbers each run by itself", Effect.gen(function*() {
    const store = yield* RunEventStore
    const { automation, organizationId } = yield* seedWorld()
    const [first, second] = [yield* seedRun(automation), yield* seedRun(automation)]
    yield* store.append(organizationId, first.id, [progress("one"), progress("two")], plenty)
    yield* store.append(organizationId, second.id, [progress("other")], plenty)
    yield* store.append(organizationId, first.id, [], plenty)
    yield* store.append(organizationId, first.id, [progress("three")], plenty)
    const list = (id: RunId) =>
      Effect.map(store.list(organizationId, id, 0, 10), (events) => events.map(({ sequence, text }) => [sequence, text]))
    assert.deepStrictEqual(yield* list(first.id), [[1, "one"], [2, "two"], [3, "three"]])
    assert.deepStrictEqual(yield* list(second.id), [[1, "other"]])
  })),
  test("numbers without a gap under twenty who append at once, each one's events in order", Effect.gen(function*() {
    const store = yield* RunEventStore
    const run = yield* seedRun((yield* seedWorld()).automation)
    const parts = ["a", "b", "c"]
    yield* twenty((caller) =>
      store.append(run.organizationId, run.id, parts.map((part) => progress(`${caller}${part}`)), plenty)
    )
    const events = yield* store.list(run.organizationId, run.id, 0, 100)
    assert.deepStrictEqual(events.map(({ sequence }) => sequence), Array.from({ length: 60 }, (_, place) => place + 1))
    for (let caller = 0; caller < 20; caller++) {
      const mine = events.flatMap(({ text }) => parts.includes(text!.slice(-1)) && text!.slice(0, -1) === `${caller}` ? [text!.slice(-1)] : [])
      assert.deepStrictEqual(mine, parts)
    }
  })),
  test("drops the oldest output when a run's output passes the cap, in bytes of UTF-8", Effect.gen(function*() {
    const store = yield* RunEventStore
    const run = yield* seedRun((yield* seedWorld()).automation)
    const append = (...events: ReadonlyArray<NewRunEvent>) => store.append(run.organizationId, run.id, events, 10)
    const left = Effect.map(store.list(run.organizationId, run.id, 0, 100), (events) => events.map(({ sequence }) => sequence))
    yield* append(output("12345"), progress("not output, however long it is"), output("ääö"))
    assert.deepStrictEqual(yield* left, [2, 3])
    yield* append(output("1234"))
    assert.deepStrictEqual(yield* left, [2, 3, 4])
    yield* append({ ...output("1"), type: "setup_output" })
    assert.deepStrictEqual(yield* left, [2, 4, 5])
  })),
  property("keeps the newest output that fits, and the numbers of all", history, (steps) =>
    Effect.gen(function*() {
      const store = yield* RunEventStore
      const run = yield* seedRun((yield* seedWorld()).automation)
      let model: ReadonlyArray<RunEvent> = []
      let last = 0
      for (const { events, maxOutputBytes } of steps) {
        const added = events.map(({ kind, text }): NewRunEvent => ({ type: kind, at, attempt: 1, text }))
        yield* store.append(run.organizationId, run.id, added, maxOutputBytes)
        if (added.length > 0) {
          model = capped([...model, ...added.map((event) => ({ ...event, sequence: ++last }))], maxOutputBytes)
        }
        sameAll(RunEvent, yield* store.list(run.organizationId, run.id, 0, 100), model)
      }
    })),
  test("stores nothing for a run that is not there, or is another organization's", Effect.gen(function*() {
    const store = yield* RunEventStore
    const { organizationId } = yield* seedWorld()
    const theirs = yield* seedRun((yield* seedWorld()).automation)
    yield* store.append(theirs.organizationId, theirs.id, [progress("theirs")], plenty)
    for (const id of [theirs.id, yield* newId(RunId)]) {
      yield* store.append(organizationId, id, [progress("mine")], plenty)
      assert.deepStrictEqual(yield* store.list(organizationId, id, 0, 10), [])
    }
    assert.strictEqual((yield* store.list(theirs.organizationId, theirs.id, 0, 10)).length, 1)
  })),
  test("lists events after that sequence, oldest first, at most the limit", Effect.gen(function*() {
    const store = yield* RunEventStore
    const run = yield* seedRun((yield* seedWorld()).automation)
    yield* store.append(run.organizationId, run.id, ["1", "2", "3", "4", "5"].map(progress), plenty)
    const list = (after: number, limit: number) =>
      Effect.map(store.list(run.organizationId, run.id, after, limit), (events) => events.map(({ sequence }) => sequence))
    assert.deepStrictEqual(yield* list(0, 2), [1, 2])
    assert.deepStrictEqual(yield* list(2, 2), [3, 4])
    assert.deepStrictEqual(yield* list(4, 2), [5])
    assert.deepStrictEqual(yield* list(5, 2), [])
  })),
  test("lists the newest events, oldest first, at most the limit", Effect.gen(function*() {
    const store = yield* RunEventStore
    const { automation, organizationId } = yield* seedWorld()
    const [run, other] = [yield* seedRun(automation), yield* seedRun(automation)]
    yield* store.append(organizationId, run.id, ["1", "2", "3"].map(progress), plenty)
    yield* store.append(organizationId, other.id, [progress("other")], plenty)
    const list = (limit: number) =>
      Effect.map(store.list(organizationId, run.id, "newest", limit), (events) => events.map(({ text }) => text))
    assert.deepStrictEqual(yield* list(2), ["2", "3"])
    assert.deepStrictEqual(yield* list(9), ["1", "2", "3"])
    const elsewhere = (yield* seedWorld()).organizationId
    assert.deepStrictEqual(yield* store.list(elsewhere, run.id, "newest", 9), [])
  }))
])
