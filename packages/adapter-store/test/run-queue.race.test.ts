import type { AutomationId, RunId } from "@coppice/core"
import { HostStore, RunEventStore, RunQueue, RunStore } from "@coppice/core/ports"
import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Queue, Stream } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { at, automation, id, migratedDatabase, replica, type World, world } from "./replica.ts"

const enqueue = (here: World, automationId: AutomationId) =>
  Effect.flatMap(RunStore, (runs) =>
    runs.create({ id: id<RunId>(), organizationId: here.organizationId, automationId, trigger: "manual", createdAt: at }, new Uint8Array([123, 125])))

const options = { leaseMillis: 60_000, maxConcurrentRuns: 7 }

describePostgres("the queue of runs", () => {
  it.live("keeps every cap while two processes claim at once, over two organizations of one machine", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const replicas = [yield* replica(url), yield* replica(url)] as const
      yield* Effect.gen(function*() {
        const here = yield* world
        const strangers = yield* world
        const capped = yield* automation(here, { maxConcurrentRuns: 2 })
        const reusing = yield* automation(here, { workspaceMode: "reuse" })
        const free = yield* automation(here)
        for (const { automationId } of [capped, capped, capped, capped, reusing, reusing, free, free, free]) {
          yield* enqueue(here, automationId)
        }
        // The second organization's project is moved to the first one's machine.
        const sql = yield* SqlClient
        yield* sql`UPDATE hosts SET machine_id = ${here.machineId} WHERE organization_id = ${strangers.organizationId}`
        const foreign = yield* automation(strangers)
        for (let run = 0; run < 5; run++) yield* enqueue(strangers, foreign.automationId)

        const claims = yield* Effect.forEach(Array.from({ length: 30 }), (_, place) =>
          Effect.flatMap(RunQueue, (queue) => queue.claim(here.machineId, options)).pipe(
            Effect.provideContext(replicas[place % 2]!)
          ), { concurrency: "unbounded" })
        const claimed = claims.filter((claim) => claim !== undefined)
        assert.strictEqual(claimed.length, 7)
        assert.strictEqual(new Set(claimed.map(({ run }) => run.id)).size, 7)
        const of = ({ automationId }: { readonly automationId: AutomationId }) =>
          claimed.filter(({ automation }) => automation.id === automationId).length
        assert.deepStrictEqual([of(capped), of(reusing), of(free), of(foreign)], [2, 1, 3, 1])
        const hosts = yield* (yield* HostStore).list(here.organizationId, {})
        assert.strictEqual(hosts.items[0]!.running, 7)
      }).pipe(Effect.provideContext(replicas[0]))
    }).pipe(Effect.scoped))

  it.live("gives each run to one worker while workers claim, end, cancel and reap", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const replicas = [yield* replica(url), yield* replica(url)] as const
      yield* Effect.gen(function*() {
        const here = yield* world
        const { automationId } = yield* automation(here, { maxConcurrentRuns: 3 })
        const created = yield* Effect.forEach(Array.from({ length: 60 }), () => enqueue(here, automationId), { concurrency: 8 })
        const done: Array<string> = []
        const state = { active: 0, most: 0 }
        const worker = Effect.gen(function*() {
          const queue = yield* RunQueue
          for (let idle = 0; idle < 20;) {
            const claim = yield* queue.claim(here.machineId, options)
            if (claim === undefined) {
              idle++
              yield* Effect.sleep("10 millis")
              continue
            }
            idle = 0
            state.most = Math.max(state.most, ++state.active)
            yield* queue.update(claim.lease, "preparing", "running", {})
            yield* Effect.sleep("1 millis")
            state.active--
            const ended = yield* queue.update(claim.lease, "running", "succeeded", { exitCode: 0 })
            if (ended !== undefined) done.push(claim.run.id)
          }
        })
        const noise = Effect.gen(function*() {
          const runs = yield* RunStore
          const queue = yield* RunQueue
          for (const run of created.slice(40)) {
            yield* runs.cancel(here.organizationId, run.id, at)
            yield* queue.reap()
            yield* runs.list(here.organizationId, {}, {})
          }
        })
        yield* Effect.all([
          ...Array.from({ length: 8 }, (_, place) => Effect.provideContext(worker, replicas[place % 2]!)),
          Effect.provideContext(noise, replicas[1])
        ], { concurrency: "unbounded" })
        assert.isAtMost(state.most, 3)
        assert.strictEqual(new Set(done).size, done.length)
        const { items } = yield* (yield* RunStore).list(here.organizationId, {}, { limit: 100 })
        assert.deepStrictEqual(
          items.filter(({ status }) => status === "succeeded").map((run) => run.id).toSorted(),
          done.toSorted()
        )
        assert.isTrue(items.every(({ status }) => status === "succeeded" || status === "cancelled"))
      }).pipe(Effect.provideContext(replicas[0]))
    }).pipe(Effect.scoped))

  it.live("tells of changes again after its listener was killed", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const stores = yield* replica(url)
      const other = yield* replica(url)
      yield* Effect.gen(function*() {
        const here = yield* world
        const { automationId } = yield* automation(here)
        const seen = yield* Queue.unbounded<void>()
        const queue = yield* RunQueue
        const next = Queue.take(seen).pipe(Effect.timeout("3 seconds"))
        const fiber = yield* Effect.forkChild(Stream.runForEach(queue.changes, () => Queue.offer(seen, undefined)))
        yield* next
        yield* Effect.provideContext(enqueue(here, automationId), other)
        yield* next
        const sql = yield* SqlClient
        yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query ILIKE 'listen%'`
        yield* next
        yield* Queue.clear(seen)
        yield* Effect.provideContext(enqueue(here, automationId), other)
        yield* next
        // Somebody who comes later is told at once, too.
        yield* Stream.runHead(queue.changes).pipe(Effect.timeout("3 seconds"))
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provideContext(stores))
    }).pipe(Effect.scoped))

  it.live("numbers events without a gap, and holds their bound, for many who append", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const replicas = [yield* replica(url), yield* replica(url)] as const
      yield* Effect.gen(function*() {
        const here = yield* world
        const { automationId } = yield* automation(here)
        const { id: runId } = yield* enqueue(here, automationId)
        const event = (type: "output" | "status") => ({ at, type, attempt: 1, text: "0123456789" })
        yield* Effect.forEach(Array.from({ length: 100 }), (_, place) =>
          Effect.flatMap(RunEventStore, (events) =>
            events.append(here.organizationId, runId, [event("output"), event(place % 10 === 0 ? "status" : "output")], 255)).pipe(
              Effect.provideContext(replicas[place % 2]!)
            ), { concurrency: 20, discard: true })
        const events = yield* (yield* RunEventStore).list(here.organizationId, runId, 0, 1000)
        assert.strictEqual(events.at(-1)!.sequence, 200)
        assert.strictEqual(events.filter(({ type }) => type === "status").length, 10)
        assert.strictEqual(events.filter(({ type }) => type === "output").length, 25)
      }).pipe(Effect.provideContext(replicas[0]))
    }).pipe(Effect.scoped))
})
