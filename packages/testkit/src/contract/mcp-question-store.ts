import type { McpSignal } from "@coppice/core"
import { McpQuestionStore, McpSessionStore } from "@coppice/core/ports"
import { Effect, Queue } from "effect"
import { assert } from "vitest"
import { beforeLong, test, twenty } from "./check.ts"
import { ownerOf, seedMcpSession } from "./seed-mcp-session.ts"
import { seedTenant } from "./seed.ts"
import { pass, storeContract } from "./store-contract.ts"

const seedOwner = Effect.map(seedTenant, (tenant) => ownerOf(tenant))

export const mcpQuestionStoreContract = storeContract("McpQuestionStore", (capabilities) => [
  test("keeps the answer to a question until that is closed", Effect.gen(function*() {
    const store = yield* McpQuestionStore
    const { id } = yield* seedMcpSession(yield* seedOwner)
    const json = JSON.stringify({ text: "\u0000\ud800" })
    assert.isUndefined(yield* store.look(id, "q"))
    yield* store.open(id, "q")
    assert.deepStrictEqual(yield* store.look(id, "q"), {})
    assert.isTrue(yield* store.answer(id, "q", json))
    assert.deepStrictEqual(yield* store.look(id, "q"), { answer: json })
    yield* store.close(id, "q")
    assert.isUndefined(yield* store.look(id, "q"))
    assert.isFalse(yield* store.answer(id, "q", json))
  })),
  test("keeps no answer to what was not asked, or asked in another session", Effect.gen(function*() {
    const store = yield* McpQuestionStore
    const owner = yield* seedOwner
    const [one, other] = [yield* seedMcpSession(owner), yield* seedMcpSession(owner)]
    yield* store.open(one.id, "q")
    assert.isFalse(yield* store.answer(one.id, "r", "1"))
    assert.isFalse(yield* store.answer(other.id, "q", "1"))
    assert.deepStrictEqual(yield* store.look(one.id, "q"), {})
    assert.isUndefined(yield* store.look(other.id, "q"))
  })),
  test("takes the answer of one of twenty, and no later one", Effect.gen(function*() {
    const store = yield* McpQuestionStore
    const { id } = yield* seedMcpSession(yield* seedOwner)
    yield* store.open(id, "q")
    const taken = yield* twenty((number) => Effect.map(store.answer(id, "q", String(number)), (first) => ({ first, number })))
    assert.strictEqual(taken.filter(({ first }) => first).length, 1)
    assert.deepStrictEqual(yield* store.look(id, "q"), { answer: String(taken.find(({ first }) => first)!.number) })
    yield* store.open(id, "q")
    assert.isFalse(yield* store.answer(id, "q", "late"))
  })),
  test("ends with its session, and is not asked in one that is over", Effect.gen(function*() {
    const store = yield* McpQuestionStore
    const owner = yield* seedOwner
    const ended = yield* seedMcpSession(owner)
    yield* store.open(ended.id, "q")
    yield* (yield* McpSessionStore).end(owner, ended.id)
    assert.isUndefined(yield* store.look(ended.id, "q"))
    assert.isFalse(yield* store.answer(ended.id, "q", "1"))
    const idle = yield* seedMcpSession(owner, { idleMillis: 300 })
    yield* pass(capabilities, 300)
    yield* store.open(idle.id, "q")
    assert.isFalse(yield* store.answer(idle.id, "q", "1"))
  })),
  test("tells those who listen to the session of an answer", Effect.gen(function*() {
    const store = yield* McpQuestionStore
    const { credential, id } = yield* seedMcpSession(yield* seedOwner)
    const heard = yield* Queue.unbounded<McpSignal>()
    yield* (yield* McpSessionStore).listen({ id, credential }, (signal) => void Queue.offerUnsafe(heard, signal))
    yield* store.open(id, "q")
    // A listener that has just connected may have missed something, and is told so.
    yield* (yield* McpSessionStore).cancel(id, "first")
    while ((yield* beforeLong(Queue.take(heard), "signals stopped"))._tag !== "Cancel") continue
    yield* store.answer(id, "q", "1")
    assert.strictEqual((yield* beforeLong(Queue.take(heard), "nobody was told of the answer"))._tag, "Changed")
  }))
])
