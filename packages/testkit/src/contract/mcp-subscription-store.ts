import type { McpSignal } from "@coppice/core"
import { McpSessionStore, McpSubscriptionStore } from "@coppice/core/ports"
import { Effect, Queue } from "effect"
import { assert } from "vitest"
import { beforeLong, test, twenty } from "./check.ts"
import { ownerOf, seedMcpSession } from "./seed-mcp-session.ts"
import { seedTenant } from "./seed.ts"
import { pass, storeContract } from "./store-contract.ts"

const seedOwner = Effect.map(seedTenant, (tenant) => ownerOf(tenant))

const at = (uri: string, revision = "1") => ({ uri, revision })

export const mcpSubscriptionStoreContract = storeContract("McpSubscriptionStore", (capabilities) => [
  test("keeps what a session is subscribed to, by address, and for no other session", Effect.gen(function*() {
    const store = yield* McpSubscriptionStore
    const owner = yield* seedOwner
    const [one, other] = [yield* seedMcpSession(owner), yield* seedMcpSession(owner)]
    for (const uri of ["b://\u0000", "B://2", "a://é"]) assert.isTrue(yield* store.add(one.id, at(uri), 10))
    yield* store.add(other.id, at("c://"), 10)
    assert.deepStrictEqual(yield* store.list(one.id), [at("B://2"), at("a://é"), at("b://\u0000")])
    yield* store.remove(one.id, "a://é")
    yield* store.remove(one.id, "c://")
    assert.deepStrictEqual(yield* store.list(one.id), [at("B://2"), at("b://\u0000")])
    assert.deepStrictEqual(yield* store.list(other.id), [at("c://")])
  })),
  test("subscribes anew, from another revision on", Effect.gen(function*() {
    const store = yield* McpSubscriptionStore
    const { id } = yield* seedMcpSession(yield* seedOwner)
    yield* store.add(id, at("a://"), 1)
    assert.isTrue(yield* store.add(id, at("a://", "2"), 1))
    assert.deepStrictEqual(yield* store.list(id), [at("a://", "2")])
  })),
  test("notes the revision that the client was told of, and subscribes to nothing thereby", Effect.gen(function*() {
    const store = yield* McpSubscriptionStore
    const { id } = yield* seedMcpSession(yield* seedOwner)
    yield* store.add(id, at("a://"), 10)
    yield* store.note(id, at("a://", "2"))
    yield* store.note(id, at("b://", "2"))
    assert.deepStrictEqual(yield* store.list(id), [at("a://", "2")])
  })),
  test("takes as many as it may of twenty that come at once", Effect.gen(function*() {
    const store = yield* McpSubscriptionStore
    const { id } = yield* seedMcpSession(yield* seedOwner)
    const taken = yield* twenty((number) => store.add(id, at(`a://${number}`), 7))
    assert.strictEqual(taken.filter((each) => each).length, 7)
    assert.strictEqual((yield* store.list(id)).length, 7)
  })),
  test("subscribes no session that is over, and keeps nothing for it", Effect.gen(function*() {
    const store = yield* McpSubscriptionStore
    const owner = yield* seedOwner
    const ended = yield* seedMcpSession(owner)
    yield* store.add(ended.id, at("a://"), 10)
    yield* (yield* McpSessionStore).end(owner, ended.id)
    assert.isFalse(yield* store.add(ended.id, at("b://"), 10))
    assert.deepStrictEqual(yield* store.list(ended.id), [])
    const idle = yield* seedMcpSession(owner, { idleMillis: 300 })
    yield* pass(capabilities, 300)
    assert.isFalse(yield* store.add(idle.id, at("a://"), 10))
  })),
  test("tells those who listen to the session of a subscription and of its end, and not of a revision", Effect.gen(function*() {
    const store = yield* McpSubscriptionStore
    const { credential, id } = yield* seedMcpSession(yield* seedOwner)
    const heard = yield* Queue.unbounded<McpSignal>()
    yield* (yield* McpSessionStore).listen({ id, credential }, (signal) => void Queue.offerUnsafe(heard, signal))
    // A listener that has just connected may have missed something, and is told so.
    yield* store.add(id, at("a://"), 10)
    yield* beforeLong(Queue.take(heard), "nobody was told of the subscription")
    yield* (yield* McpSessionStore).cancel(id, "first")
    while ((yield* beforeLong(Queue.take(heard), "signals stopped"))._tag !== "Cancel") continue
    yield* store.note(id, at("a://", "2"))
    yield* store.remove(id, "a://")
    yield* beforeLong(Queue.take(heard), "nobody was told of the end")
    yield* (yield* McpSessionStore).cancel(id, "second")
    assert.strictEqual((yield* beforeLong(Queue.take(heard), "signals stopped"))._tag, "Cancel")
  }))
])
