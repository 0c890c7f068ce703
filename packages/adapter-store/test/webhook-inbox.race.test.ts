import type { Verdict } from "@coppice/core"
import { webhookLimit } from "@coppice/core"
import { ApiKeyStore, AutomationStore, RunStore, WebhookInbox } from "@coppice/core/ports"
import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { at, automation, hash, migratedDatabase, replica, run, world } from "./replica.ts"

const unlimited = { max: 1_000_000, windowSeconds: 60 }

const countRuns = Effect.gen(function*() {
  const sql = yield* SqlClient
  const [row] = yield* sql<{ readonly count: number }>`SELECT count(*)::integer AS count FROM runs`
  return row!.count
})

const until = (condition: () => boolean) => Effect.suspend(() => Effect.sleep("2 millis")).pipe(Effect.repeat({ until: condition }))

/** Delivers again and again until it is told to stop, and tells what became of each delivery. */
const sender = (target: Effect.Success<ReturnType<typeof automation>>) => {
  const verdicts: Array<{ readonly began: number; readonly verdict: Verdict["_tag"] }> = []
  const state = { stopped: false }
  const loop = Effect.gen(function*() {
    const inbox = yield* WebhookInbox
    while (!state.stopped) {
      const began = performance.now()
      const verdict = yield* inbox.receive({ ...target, limit: unlimited, run: run() })
      verdicts.push({ began, verdict: verdict._tag })
    }
  })
  return { verdicts, loop, stop: Effect.sync(() => { state.stopped = true }) }
}

describePostgres("the webhook inbox", () => {
  for (const change of ["rotation", "pause"] as const) {
    it.live(`accepts nothing, and stores nothing, once a ${change} has answered`, () =>
      Effect.gen(function*() {
        const url = yield* migratedDatabase
        const replicas = [yield* replica(url), yield* replica(url)] as const
        const refusal = change === "rotation" ? "Unauthorized" : "Paused"
        yield* Effect.gen(function*() {
          const here = yield* world
          const store = yield* AutomationStore
          for (let round = 0; round < 10; round++) {
            const target = yield* automation(here)
            const { loop, stop, verdicts } = sender(target)
            const fibers = yield* Effect.forEach(Array.from({ length: 12 }, (_, place) => replicas[place % 2]!), (context) =>
              Effect.forkChild(Effect.provideContext(loop, context)))
            yield* until(() => verdicts.length > 20)
            if (change === "rotation") {
              yield* store.rotateWebhookToken(here.organizationId, target.automationId, hash(1_000_000 + round), at)
            } else {
              const status = { from: "active", to: "paused" } as const
              yield* store.update(here.organizationId, target.automationId, { status }, at)
            }
            const answered = performance.now()
            const stored = yield* countRuns
            yield* until(() => verdicts.filter(({ began }) => began > answered).length > 20)
            yield* stop
            yield* Fiber.joinAll(fibers)
            assert.strictEqual(yield* countRuns, stored, "a run appeared after the answer")
            const late = verdicts.filter(({ began }) => began > answered)
            assert.deepStrictEqual([...new Set(late.map(({ verdict }) => verdict))], [refusal])
            assert.isTrue(verdicts.some(({ verdict }) => verdict === "Accepted"))
          }
        }).pipe(Effect.provideContext(replicas[0]))
      }).pipe(Effect.scoped))
  }

  it.live("makes a pause wait for a delivery that is being stored, and a delivery wait for a pause", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const stores = yield* replica(url)
      const other = yield* replica(url)
      const sql = Context.get(other, SqlClient)
      yield* Effect.gen(function*() {
        const here = yield* world
        const target = yield* automation(here)
        const receive = Effect.flatMap(WebhookInbox, (inbox) => inbox.receive({ ...target, limit: unlimited, run: run() }))
        const turn = (from: "active" | "paused", to: "active" | "paused") =>
          Effect.flatMap(AutomationStore, (store) =>
            store.update(here.organizationId, target.automationId, { status: { from, to } }, at))
        yield* receive

        // Somebody holds the window's row, so that the next delivery stops half-way.
        const [delivery, pause] = yield* Effect.gen(function*() {
          yield* sql`SELECT key FROM rate_windows FOR UPDATE`
          const delivery = yield* Effect.forkDetach(receive)
          yield* Effect.sleep("50 millis")
          const pause = yield* Effect.forkDetach(turn("active", "paused"))
          yield* Effect.sleep("50 millis")
          assert.isUndefined(pause.pollUnsafe())
          return [delivery, pause] as const
        }).pipe(sql.withTransaction)
        yield* Fiber.join(pause)
        assert.strictEqual(yield* countRuns, 2)
        assert.strictEqual((yield* Fiber.join(delivery))._tag, "Accepted")
        yield* turn("paused", "active")

        const late = yield* Effect.gen(function*() {
          yield* Effect.provideContext(turn("active", "paused"), other)
          const late = yield* Effect.forkDetach(receive)
          yield* Effect.sleep("50 millis")
          assert.isUndefined(late.pollUnsafe())
          return late
        }).pipe(sql.withTransaction)
        assert.strictEqual((yield* Fiber.join(late))._tag, "Paused")
        assert.strictEqual(yield* countRuns, 2)
      }).pipe(Effect.provideContext(stores))
    }).pipe(Effect.scoped))

  it.live("takes a new token as soon as the rotation has answered", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const stores = yield* replica(url)
      const other = yield* replica(url)
      yield* Effect.gen(function*() {
        const here = yield* world
        const target = yield* automation(here)
        const { loop, stop } = sender(target)
        const noise = yield* Effect.forkChild(Effect.provideContext(loop, other))
        for (let round = 0; round < 50; round++) {
          const tokenHash = hash(2_000_000 + round)
          yield* (yield* AutomationStore).rotateWebhookToken(here.organizationId, target.automationId, tokenHash, at)
          const verdict = yield* (yield* WebhookInbox).receive({ ...target, tokenHash, run: run() })
          assert.strictEqual(verdict._tag, "Accepted")
        }
        yield* stop
        yield* Fiber.join(noise)
      }).pipe(Effect.provideContext(stores))
    }).pipe(Effect.scoped))

  it.live("admits exactly the limit over two replicas, and each count once", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const replicas = [yield* replica(url), yield* replica(url)] as const
      yield* Effect.gen(function*() {
        const here = yield* world
        const targets = yield* Effect.forEach(Array.from({ length: 20 }), () => automation(here))
        const deliveries = targets.flatMap((target) => Array.from({ length: 60 }, () => target))
          .map((target, place) => ({ target, order: (place * 7919) % 1200 })).toSorted((a, b) => a.order - b.order)
        const limit = { ...webhookLimit, max: 40 }
        const verdicts = yield* Effect.forEach(deliveries, ({ target }, place) =>
          Effect.gen(function*() {
            return { target, verdict: yield* (yield* WebhookInbox).receive({ ...target, limit, run: run() }) }
          }).pipe(Effect.provideContext(replicas[place % 2]!)), { concurrency: 100 })
        for (const target of targets) {
          const mine = verdicts.filter((row) => row.target === target).map(({ verdict }) => verdict)
          const accepted = mine.filter(({ _tag }) => _tag === "Accepted")
          const remaining = accepted.map((verdict) => "usage" in verdict ? verdict.usage!.remaining : -1)
          assert.deepStrictEqual(remaining.toSorted((a, b) => a - b), Array.from({ length: 40 }, (_, count) => count))
          assert.strictEqual(mine.filter(({ _tag }) => _tag === "RateLimited").length, 20)
        }
        assert.strictEqual(yield* countRuns, 800)
      }).pipe(Effect.provideContext(replicas[0]))
    }).pipe(Effect.scoped))

  it.live("answers every caller when its connections are killed, and an accepted run is there", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const stores = yield* replica(url)
      const observer = yield* replica(url)
      yield* Effect.gen(function*() {
        const here = yield* world
        const target = yield* automation(here)
        const accepted: Array<string> = []
        const failed: Array<string> = []
        const state = { stopped: false }
        const fibers = yield* Effect.forEach(Array.from({ length: 16 }), () =>
          Effect.forkChild(Effect.gen(function*() {
            const inbox = yield* WebhookInbox
            while (!state.stopped) {
              const brought = run()
              const exit = yield* Effect.exit(inbox.receive({ ...target, limit: unlimited, run: brought }))
              if (Exit.isSuccess(exit)) accepted.push(brought.id)
              else failed.push(brought.id)
            }
          })))
        for (let kill = 0; kill < 10 || failed.length === 0; kill++) {
          yield* Effect.sleep("30 millis")
          yield* Effect.gen(function*() {
            const sql = yield* SqlClient
            yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%rate_windows%'`
          }).pipe(Effect.provideContext(observer))
        }
        yield* Effect.sleep("30 millis")
        state.stopped = true
        yield* Fiber.joinAll(fibers).pipe(Effect.timeout("5 seconds"))
        assert.isNotEmpty(accepted)
        const sql = yield* SqlClient
        const stored = new Set((yield* sql<{ readonly id: string }>`SELECT id FROM runs`).map(({ id }) => id))
        assert.deepStrictEqual(accepted.filter((id) => !stored.has(id)), [])
        const half = yield* sql`SELECT r.id FROM runs r LEFT JOIN run_payloads p ON p.run_id = r.id WHERE p.run_id IS NULL`
        assert.deepStrictEqual(half, [])
      }).pipe(Effect.provideContext(stores))
    }).pipe(Effect.scoped), 20_000)

  it.live("keeps a removal from losing a run that was accepted", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const replicas = [yield* replica(url), yield* replica(url)] as const
      yield* Effect.gen(function*() {
        const here = yield* world
        for (let round = 0; round < 20; round++) {
          const target = yield* automation(here)
          const [verdict, removed] = yield* Effect.all([
            Effect.provideContext(Effect.flatMap(WebhookInbox, (inbox) => inbox.receive({ ...target, run: run() })), replicas[1]),
            Effect.exit((yield* AutomationStore).remove(here.organizationId, target.automationId))
          ], { concurrency: "unbounded" })
          const { items } = yield* (yield* RunStore).list(here.organizationId, { automationId: target.automationId }, {})
          assert.strictEqual(verdict._tag === "Accepted", Exit.isFailure(removed))
          assert.strictEqual(items.length, verdict._tag === "Accepted" ? 1 : 0)
        }
      }).pipe(Effect.provideContext(replicas[0]))
    }).pipe(Effect.scoped))

  it.live("stands beside API keys: 700 calls of one key over two replicas are 600 and no more", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const replicas = [yield* replica(url), yield* replica(url)] as const
      yield* Effect.gen(function*() {
        const { organizationId, userId } = yield* world
        const times = { createdAt: at, updatedAt: at }
        yield* (yield* ApiKeyStore).create({ id: run().id as never, organizationId, userId, name: "key", access: "full", ...times }, hash(7))
        const answers = yield* Effect.forEach(Array.from({ length: 700 }), (_, place) =>
          Effect.flatMap(ApiKeyStore, (keys) => keys.authenticate(hash(7), { max: 600, windowSeconds: 60 })).pipe(
            Effect.provideContext(replicas[place % 2]!)
          ), { concurrency: 50 })
        assert.strictEqual(answers.filter((answer) => answer?.usage.allowed).length, 600)
      }).pipe(Effect.provideContext(replicas[0]))
    }).pipe(Effect.scoped))
})
