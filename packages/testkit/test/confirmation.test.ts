import { type Answer, AskPerson, type Question, toolCatalog } from "@coppice/core"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { assert, describe } from "vitest"
import { makeWorld, worldLayer } from "./world.ts"

const call = (name: string, args: object) => toolCatalog.find((tool) => tool.name === name)!.call(args)

/** A world with a task, and a person who gives one answer to everything. */
const worldWithTask = Effect.gen(function*() {
  const world = yield* makeWorld
  yield* world.as(call("tasks_create", { title: "Fix it" }))
  const { tasks } = yield* world.as(call("tasks_list", {})) as Effect.Effect<{ tasks: ReadonlyArray<{ slug: string; id: string }> }>
  const asked: Array<Question> = []
  const answering = (answer: Answer) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, AskPerson, (question) => {
      asked.push(question)
      return Effect.succeed(answer)
    })
  const left = Effect.map(world.as(call("tasks_list", {})), ({ tasks }) => (tasks as ReadonlyArray<object>).length)
  return { ...world, taskId: tasks[0]!.id, asked, answering, left }
})

const codeOf = <R>(effect: Effect.Effect<unknown, { readonly code: string; readonly message: string }, R>) =>
  Effect.map(Effect.result(effect), (result) => result._tag === "Failure" ? result.failure.code : "it succeeded")

const accept: Answer = { action: "accept", content: {} }

describe("what may destroy something", () => {
  it.effect("is done when the person says yes, who is told what it is", () =>
    Effect.gen(function*() {
      const { answering, as, asked, left, taskId } = yield* worldWithTask
      yield* as(call("tasks_delete", { taskId, idempotencyKey: "k" })).pipe(answering(accept))
      assert.strictEqual(yield* left, 0)
      assert.strictEqual(asked.length, 1)
      assert.deepEqual(asked[0]!.form, { type: "object", properties: {} })
      assert.include(asked[0]!.message, "Delete a task?")
      assert.include(asked[0]!.message, `taskId: "${taskId}"`)
      assert.notInclude(asked[0]!.message, "idempotencyKey")
    }).pipe(Effect.provide(worldLayer)))

  it.effect.each(["decline", "cancel"] as const)("is not done when the person answers %s, and may be asked again", (action) =>
    Effect.gen(function*() {
      const { answering, as, left, taskId } = yield* worldWithTask
      const remove = as(call("tasks_delete", { taskId, idempotencyKey: "k" }))
      assert.strictEqual(yield* codeOf(remove.pipe(answering({ action }))), "FORBIDDEN")
      assert.strictEqual(yield* left, 1)
      assert.strictEqual(yield* codeOf(remove.pipe(answering(accept))), "it succeeded")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is done without a word where nobody can be asked", () =>
    Effect.gen(function*() {
      const { as, left, taskId } = yield* worldWithTask
      yield* as(call("tasks_delete", { taskId }))
      assert.strictEqual(yield* left, 0)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is asked once for each thing that is done, and not for what is refused anyway", () =>
    Effect.gen(function*() {
      const { answering, as, asked, taskId } = yield* worldWithTask
      const yes = answering(accept)
      assert.strictEqual(yield* codeOf(as(call("tasks_delete", { task: taskId })).pipe(yes)), "INVALID_REQUEST")
      yield* as(call("tasks_get", { taskId })).pipe(yes)
      yield* as(call("tasks_update", { taskId, title: "Other" })).pipe(yes)
      assert.strictEqual(asked.length, 0)
      const remove = as(call("tasks_delete", { taskId, idempotencyKey: "k" })).pipe(yes)
      assert.deepEqual(yield* remove, yield* remove)
      assert.strictEqual(asked.length, 1)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is given up with its caller while the person thinks, and its key is free again", () =>
    Effect.gen(function*() {
      const { as, left, taskId } = yield* worldWithTask
      const asked = yield* Deferred.make<void>()
      const remove = as(call("tasks_delete", { taskId, idempotencyKey: "k" }))
      const fiber = yield* Effect.forkChild(
        Effect.provideService(remove, AskPerson, () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      )
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* left, 1)
      yield* remove
    }).pipe(Effect.provide(worldLayer)))

  it("is what its annotations say, and no more", () => {
    const destroys = toolCatalog.filter(({ annotations }) => annotations.destructiveHint).map(({ name }) => name)
    assert.deepEqual(destroys, ["projects_delete", "tasks_delete", "workspaces_delete", "automations_delete", "runs_cancel"])
  })
})
