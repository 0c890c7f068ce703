import { Host, HostId, MachineId, newId, now, type Run } from "@coppice/core"
import { HostStore, RunQueue, RunStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { fiveTimes, pagesThrough, property, same, test, twenty } from "./check.ts"
import { newFacts, seedAutomation, seedHost, seedProject, seedRun, seedTenant, seedWorld } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const facts = Schema.Struct({
  name: Host.fields.name,
  platform: Host.fields.name,
  agents: Schema.Array(Host.fields.name),
  maxConcurrentRuns: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))
})

const waitingFor = (run: Run) =>
  Effect.gen(function*() {
    return (yield* (yield* RunStore).get(run.organizationId, run.id))?.waitingFor
  })

export const hostStoreContract = storeContract("HostStore", () => [
  property("registers a new machine as a host with that id, online and seen now", facts, (fields) =>
    Effect.gen(function*() {
      const store = yield* HostStore
      const { organization } = yield* seedTenant
      const id = yield* newId(HostId)
      const at = yield* now
      const given = yield* newFacts(fields)
      const host = yield* store.register(organization.id, id, given, at)
      const expected: Host = {
        ...given,
        id,
        organizationId: organization.id,
        running: 0,
        status: "online",
        lastSeenAt: at,
        createdAt: at,
        updatedAt: at
      }
      same(Host, host, expected)
      same(Host, yield* store.get(organization.id, id), expected)
    })),
  test("brings a known machine up to date, and keeps its id", Effect.gen(function*() {
    const store = yield* HostStore
    const { organization } = yield* seedTenant
    const first = yield* seedHost(organization.id)
    const later = DateTime.add(first.lastSeenAt, { minutes: 5 })
    yield* store.expire(later, "It was away.", later)
    const changed = { machineId: first.machineId, name: "Renamed", platform: "darwin-arm64", agents: [], maxConcurrentRuns: 9 }
    const again = yield* store.register(organization.id, yield* newId(HostId), changed, later)
    same(Host, again, { ...first, ...changed, status: "online", lastSeenAt: later, updatedAt: later })
    same(Schema.Array(Host), (yield* store.list(organization.id, {})).items, [again])
  })),
  test("registers one machine for each of its organizations", Effect.gen(function*() {
    const store = yield* HostStore
    const first = yield* seedTenant
    const second = yield* seedTenant
    const machineId = yield* newId(MachineId)
    const one = yield* seedHost(first.organization.id, { machineId })
    const another = yield* seedHost(second.organization.id, { machineId })
    assert.notStrictEqual(one.id, another.id)
    assert.isUndefined(yield* store.get(first.organization.id, another.id))
  })),
  test("registers one host when twenty ask for one machine at once", Effect.gen(function*() {
    const { organization } = yield* seedTenant
    const machineId = yield* newId(MachineId)
    const hosts = yield* twenty(() => seedHost(organization.id, { machineId }))
    assert.strictEqual(new Set(hosts.map(({ id }) => id)).size, 1)
    assert.strictEqual((yield* (yield* HostStore).list(organization.id, {})).items.length, 1)
  })),
  test("gets a host by id or by name", Effect.gen(function*() {
    const store = yield* HostStore
    const { organization } = yield* seedTenant
    const host = yield* seedHost(organization.id, { name: "Builder" })
    yield* seedHost(organization.id, { name: "Another" })
    same(Host, yield* store.get(organization.id, host.id), host)
    same(Host, yield* store.get(organization.id, "Builder"), host)
  })),
  test("answers undefined for a host that the organization does not have", Effect.gen(function*() {
    const store = yield* HostStore
    const { organization } = yield* seedTenant
    const theirs = yield* seedHost((yield* seedTenant).organization.id, { name: "Theirs" })
    for (const reference of [theirs.id, "Theirs", yield* newId(HostId), "no such host"]) {
      assert.isUndefined(yield* store.get(organization.id, reference))
    }
  })),
  test("answers undefined when several hosts have that name", Effect.gen(function*() {
    const store = yield* HostStore
    const { organization } = yield* seedTenant
    const host = yield* seedHost(organization.id, { name: "Twin" })
    yield* seedHost(organization.id, { name: "Twin" })
    assert.isUndefined(yield* store.get(organization.id, "Twin"))
    assert.strictEqual((yield* store.get(organization.id, host.id))?.id, host.id)
  })),
  test("lists the organization's hosts, newest first, page by page", Effect.gen(function*() {
    const store = yield* HostStore
    const { organization } = yield* seedTenant
    yield* seedHost((yield* seedTenant).organization.id)
    const hosts = yield* fiveTimes(seedHost(organization.id))
    yield* pagesThrough(hosts, (page) => store.list(organization.id, page))
  })),
  test("counts the runs in preparation or running, of any organization", Effect.gen(function*() {
    const store = yield* HostStore
    const queue = yield* RunQueue
    const { automation, host, machineId, organizationId } = yield* seedWorld()
    const other = yield* seedTenant
    const theirs = yield* seedHost(other.organization.id, { machineId })
    const otherAutomation = yield* seedAutomation(yield* seedProject(theirs), other.user.id)
    yield* seedRun(automation)
    yield* seedRun(otherAutomation)
    yield* seedRun(automation)
    const running = Effect.map(store.list(organizationId, {}), ({ items }) => items.map(({ running }) => running))
    assert.deepStrictEqual(yield* running, [0])
    const options = { leaseMillis: 60_000, maxConcurrentRuns: 2 }
    const first = (yield* queue.claim(machineId, options))!
    yield* queue.claim(machineId, options)
    yield* queue.update(first.lease, "preparing", "running", {})
    assert.deepStrictEqual(yield* running, [2])
    assert.strictEqual((yield* store.get(other.organization.id, theirs.id))?.running, 2)
    yield* queue.update(first.lease, "running", "succeeded", {})
    assert.strictEqual((yield* store.get(organizationId, host.id))?.running, 1)
  })),
  test("sees all hosts of a machine: online, and seen at that instant", Effect.gen(function*() {
    const store = yield* HostStore
    const machineId = yield* newId(MachineId)
    const mine = yield* seedHost((yield* seedTenant).organization.id, { machineId })
    const theirs = yield* seedHost((yield* seedTenant).organization.id, { machineId })
    const other = yield* seedHost(mine.organizationId)
    const later = DateTime.add(mine.lastSeenAt, { minutes: 5 })
    yield* store.expire(later, "It was away.", later)
    yield* store.seen(machineId, later)
    for (const host of [mine, theirs]) {
      same(Host, yield* store.get(host.organizationId, host.id), { ...host, lastSeenAt: later, updatedAt: later })
    }
    assert.strictEqual((yield* store.get(other.organizationId, other.id))?.status, "offline")
  })),
  test("holds runs for the reason that was given last, or no more", Effect.gen(function*() {
    const store = yield* HostStore
    const { automation, machineId } = yield* seedWorld()
    const run = yield* seedRun(automation)
    assert.strictEqual(yield* waitingFor(run), "worker")
    yield* store.seen(machineId, yield* now, "The disk is full.")
    assert.strictEqual(yield* waitingFor(run), "host_held")
    yield* store.seen(machineId, yield* now)
    assert.strictEqual(yield* waitingFor(run), "worker")
  })),
  test("registers with the reason why runs are held, or with none", Effect.gen(function*() {
    const { automation, machineId, organizationId } = yield* seedWorld({ host: { holdReason: "The disk is full." } })
    const run = yield* seedRun(automation)
    assert.strictEqual(yield* waitingFor(run), "host_held")
    yield* seedHost(organizationId, { machineId })
    assert.strictEqual(yield* waitingFor(run), "worker")
  })),
  test("expires hosts that were last seen before that instant, with the reason", Effect.gen(function*() {
    const store = yield* HostStore
    const { organization } = yield* seedTenant
    const before = yield* seedHost(organization.id)
    const seenAt = DateTime.add(before.lastSeenAt, { minutes: 5 })
    const onTheInstant = yield* store.register(organization.id, yield* newId(HostId), yield* newFacts(), seenAt)
    const at = DateTime.add(seenAt, { seconds: 1 })
    yield* store.expire(seenAt, "It was not heard of.", at)
    same(Host, yield* store.get(organization.id, before.id), {
      ...before,
      status: "offline",
      offlineReason: "It was not heard of.",
      updatedAt: at
    })
    same(Host, yield* store.get(organization.id, onTheInstant.id), onTheInstant)
  })),
  property(
    "answers any instant as it was given",
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_799_999 }))),
    (millis) =>
      Effect.gen(function*() {
        const host = yield* seedHost((yield* seedTenant).organization.id)
        const store = yield* HostStore
        yield* store.seen(host.machineId, DateTime.makeUnsafe(millis))
        const seen = yield* store.get(host.organizationId, host.id)
        assert.strictEqual(DateTime.toEpochMillis(seen!.lastSeenAt), millis)
      })
  )
])
