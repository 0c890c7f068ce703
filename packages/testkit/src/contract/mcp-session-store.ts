import { type LogLevel, McpSession, type McpSignal, type NewMcpSession, now } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Queue, Schema } from "effect"
import { assert } from "vitest"
import { beforeLong, property, same, test, twenty } from "./check.ts"
import { day, newMcpSession, ownerOf, seedMcpSession } from "./seed-mcp-session.ts"
import { seedMember, seedTenant } from "./seed.ts"
import { pass, storeContract } from "./store-contract.ts"

/** What a session is, apart from its times. */
const stillOf = ({ clientName, clientVersion, credential, elicits, id, logLevel, protocolVersion, userId }: NewMcpSession) => ({
  clientName,
  clientVersion,
  credential,
  elicits,
  id,
  logLevel,
  protocolVersion,
  userId
})

const fields = Arbitrary.all({
  clientName: Arbitrary.schema(Schema.String),
  clientVersion: Arbitrary.schema(Schema.String),
  protocolVersion: Arbitrary.schema(Schema.String),
  elicits: Arbitrary.schema(McpSession.fields.elicits),
  logLevel: Arbitrary.schema(McpSession.fields.logLevel)
})

export const mcpSessionStoreContract = storeContract("McpSessionStore", (capabilities) => [
  property("gives the owner the session as it was begun", fields, (given) =>
    Effect.gen(function*() {
      const store = yield* McpSessionStore
      const owner = ownerOf(yield* seedTenant)
      const session = yield* seedMcpSession(owner, { fields: given })
      const used = (yield* store.use(owner, session.id, day))!
      assert.deepStrictEqual(stillOf(used), stillOf(session))
      same(McpSession.fields.createdAt, used.createdAt, session.createdAt)
      assert.isTrue(DateTime.isGreaterThan(used.expiresAt, session.createdAt))
    })),
  test("gives it to nobody else: another organization, a colleague, the same user by another key", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const tenant = yield* seedTenant
    const owner = ownerOf(tenant)
    const { id } = yield* seedMcpSession(owner)
    const { user: colleague } = yield* seedMember(tenant.organization.id)
    const others = [
      { ...owner, organizationId: (yield* seedTenant).organization.id },
      { ...owner, userId: colleague.id },
      { ...owner, credential: "api-key:two" }
    ]
    for (const other of others) {
      assert.isUndefined(yield* store.use(other, id, day))
      yield* store.setLogLevel(other, id, "error")
      assert.isFalse(yield* store.end(other, id))
    }
    assert.strictEqual((yield* store.use(owner, id, day))?.logLevel, "info")
  })),
  test("knows no session by an id that was never given", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const { id } = yield* newMcpSession(owner)
    assert.isUndefined(yield* store.use(owner, id, day))
    assert.isFalse(yield* store.end(owner, id))
  })),
  test("ends a session once, for good, and no other one", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const { id } = yield* seedMcpSession(owner)
    const other = yield* seedMcpSession(owner)
    const answers = yield* twenty(() => store.end(owner, id))
    assert.strictEqual(answers.filter((ended) => ended).length, 1)
    assert.isUndefined(yield* store.use(owner, id, day))
    assert.isDefined(yield* store.use(owner, other.id, day))
  })),
  test("keeps the level that was set last", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const { id } = yield* seedMcpSession(owner)
    for (const level of ["debug", "emergency", "warning"] satisfies Array<LogLevel>) {
      yield* store.setLogLevel(owner, id, level)
      assert.strictEqual((yield* store.use(owner, id, day))?.logLevel, level)
    }
  })),
  test("is over after that long without use, by the store's clock", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const { id } = yield* seedMcpSession(owner, { idleMillis: 300 })
    yield* pass(capabilities, 300)
    yield* store.setLogLevel(owner, id, "error")
    assert.isFalse(yield* store.end(owner, id))
    assert.isUndefined(yield* store.use(owner, id, day))
  })),
  test("goes on for as long again with each use", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const { id } = yield* seedMcpSession(owner, { idleMillis: 60_000 })
    const first = yield* store.use(owner, id, 60_000)
    yield* pass(capabilities, 1000)
    const second = yield* store.use(owner, id, 60_000)
    const grown = DateTime.toEpochMillis(second!.expiresAt) - DateTime.toEpochMillis(first!.expiresAt)
    assert.isAtLeast(grown, 1000)
    assert.isTrue(DateTime.isGreaterThan(second!.updatedAt, first!.updatedAt))
  })),
  test("ends those of a credential that were idle for longest when there are too many", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const tenant = yield* seedTenant
    const owner = ownerOf(tenant)
    const elsewhere = yield* seedMcpSession(ownerOf(tenant, "api-key:two"))
    const foreign = yield* seedTenant
    const foreigner = yield* seedMcpSession(ownerOf(foreign))
    const start = yield* now
    const seenAt = (seconds: number) => ({ updatedAt: DateTime.subtract(start, { seconds }) })
    const seed = (seconds: number) => seedMcpSession(owner, { maxSessions: 3, fields: seenAt(seconds) })
    const [idle, older, recent] = [yield* seed(3), yield* seed(2), yield* seed(1)]
    const fresh = yield* seed(0)
    assert.isUndefined(yield* store.use(owner, idle.id, day))
    for (const { id } of [older, recent, fresh]) assert.isDefined(yield* store.use(owner, id, day))
    assert.isDefined(yield* store.use(ownerOf(tenant, "api-key:two"), elsewhere.id, day))
    assert.isDefined(yield* store.use(ownerOf(foreign), foreigner.id, day))
  })),
  test("keeps the newest one whatever its times say", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const before = yield* seedMcpSession(owner)
    const { id } = yield* seedMcpSession(owner, {
      maxSessions: 1,
      fields: { updatedAt: DateTime.subtract(yield* now, { hours: 1 }) }
    })
    assert.isUndefined(yield* store.use(owner, before.id, day))
    assert.isDefined(yield* store.use(owner, id, day))
  })),
  test("keeps exactly as many of twenty that are begun at once", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const begun = yield* twenty(() => seedMcpSession(owner, { maxSessions: 7 }))
    const there = yield* Effect.forEach(begun, ({ id }) => store.use(owner, id, day))
    assert.strictEqual(there.filter((session) => session !== undefined).length, 7)
  })),
  test("counts the streams that are opened, each for one, and only the owner's", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const { id } = yield* seedMcpSession(owner)
    const opened = yield* twenty(() => store.openStream(owner, id))
    const numbers = opened.map((session) => session!.stream).toSorted((left, right) => left - right)
    assert.deepStrictEqual(numbers, Array.from({ length: 20 }, (_, place) => place + 1))
    assert.isUndefined(yield* store.openStream({ ...owner, credential: "api-key:two" }, id))
    assert.strictEqual((yield* store.use(owner, id, day))?.stream, 20)
  })),
  test("numbers messages from 1 without a gap, and answers those after a number, oldest first", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const { id } = yield* seedMcpSession(owner)
    const other = yield* seedMcpSession(owner)
    yield* twenty((number) => store.say(id, JSON.stringify({ number, text: "\u0000\ud800" }), 100))
    yield* store.say(other.id, "{}", 100)
    const all = yield* store.messages(id, 0, 100)
    assert.deepStrictEqual(all.map(({ sequence }) => sequence), Array.from({ length: 20 }, (_, place) => place + 1))
    assert.strictEqual(new Set(all.map(({ json }) => (JSON.parse(json) as { number: number }).number)).size, 20)
    assert.deepStrictEqual(yield* store.messages(id, 17, 2), all.slice(17, 19))
    assert.strictEqual((yield* store.use(owner, id, day))?.lastMessage, 20)
  })),
  test("keeps the newest messages, and their numbers", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const { id } = yield* seedMcpSession(ownerOf(yield* seedTenant))
    for (let number = 1; number <= 5; number++) yield* store.say(id, String(number), 3)
    assert.deepStrictEqual(yield* store.messages(id, 0, 100), [
      { sequence: 3, json: "3" },
      { sequence: 4, json: "4" },
      { sequence: 5, json: "5" }
    ])
  })),
  test("keeps no message for a session that is over, nor those that it had", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const owner = ownerOf(yield* seedTenant)
    const { id } = yield* seedMcpSession(owner)
    yield* store.say(id, "1", 10)
    yield* store.end(owner, id)
    yield* store.say(id, "2", 10)
    assert.deepStrictEqual(yield* store.messages(id, 0, 10), [])
  })),
  test("tells those who listen to a session of what happens to it, and nobody else", Effect.gen(function*() {
    const store = yield* McpSessionStore
    const tenant = yield* seedTenant
    const owner = ownerOf(tenant, `api-key:${tenant.user.id}`)
    const { id } = yield* seedMcpSession(owner)
    const heard = yield* Queue.unbounded<McpSignal>()
    const elsewhere: Array<McpSignal> = []
    const next = (what: string) => beforeLong(Queue.take(heard), `nobody was told of ${what}`)
    yield* store.listen({ id, credential: owner.credential }, (signal) => void Queue.offerUnsafe(heard, signal))
    yield* store.listen({ id: (yield* seedMcpSession(owner)).id, credential: owner.credential }, (signal) => {
      if (signal._tag === "Cancel") elsewhere.push(signal)
    })
    // What came of the beginning: a listener that has just connected may have missed something.
    yield* Queue.clear(heard)
    yield* store.cancel(id, "\"1\"")
    const first = yield* next("a cancelled request")
    const signal = first._tag === "Cancel" ? first : yield* next("a cancelled request")
    assert.deepStrictEqual(signal, { _tag: "Cancel", request: "\"1\"" })
    yield* store.say(id, "{}", 10)
    assert.strictEqual((yield* next("a message"))._tag, "Changed")
    yield* store.openStream(owner, id)
    assert.strictEqual((yield* next("another stream"))._tag, "Changed")
    yield* store.end(owner, id)
    assert.strictEqual((yield* next("the end"))._tag, "Changed")
    assert.deepStrictEqual(elsewhere, [])
  }))
])
