import { PgClient } from "@effect/sql-pg"
import { assert, layer as withLayer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer, Queue, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { randomBytes, randomUUID } from "node:crypto"
import { arrayParameter } from "../src/postgres.ts"

const row = <A>(rows: ReadonlyArray<A>): A => {
  assert.strictEqual(rows.length, 1)
  return rows[0]!
}

/** Runs `use` with the name of a table of its own, which is dropped in the end. */
const withTable = <A, E, R>(columns: string, use: (table: string) => Effect.Effect<A, E, R>) => {
  const table = `behaviour_${randomBytes(6).toString("hex")}`
  return Effect.acquireUseRelease(
    PgClient.PgClient.use((sql) => sql.unsafe(`CREATE TABLE ${table} (${columns})`)),
    () => use(table),
    () => PgClient.PgClient.use((sql) => sql.unsafe(`DROP TABLE ${table}`))
  )
}

const elapsed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(Effect.exit(effect), (exit) => [exit, performance.now() - began] as const)
  })

/**
 * What the stores may rely on, whichever database is behind the client. Both run all of it, so that a store's test on
 * one says something about the other.
 */
export const clientBehaviour = <E>(name: string, layer: Layer.Layer<PgClient.PgClient | SqlClient, E>): void =>
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(name, (it) => {
    it.effect("decodes each type that the stores use", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const found = row(yield* sql`SELECT
          '2026-01-02T03:04:05.6789+02:00'::timestamptz AS at,
          9007199254740991::int8 AS big, -1::int8 AS minus, 7::int4 AS small,
          '0197F3A0-0000-7000-8000-000000000001'::uuid AS id,
          '\\x00ff'::bytea AS bytes, ARRAY['a', NULL, 'ü']::text[] AS words,
          ARRAY['0197f3a0-0000-7000-8000-000000000001']::uuid[] AS ids, ARRAY[1, NULL]::int8[] AS numbers,
          ARRAY['1999-12-31T23:59:59.999Z']::timestamptz[] AS times,
          '{"snake_key": {"inner_key": 1}, "camelKey": [{"a_b": null}]}'::jsonb AS json,
          NULL::timestamptz AS no_time, NULL::int8 AS no_number, true AS yes, 'x'::varchar AS short`)
        assert.deepStrictEqual({ ...found, bytes: [...(found.bytes as Uint8Array)] }, {
          at: "2026-01-02T01:04:05.678Z",
          big: 9007199254740991,
          minus: -1,
          small: 7,
          id: "0197f3a0-0000-7000-8000-000000000001",
          bytes: [0, 255],
          words: ["a", null, "ü"],
          ids: ["0197f3a0-0000-7000-8000-000000000001"],
          numbers: [1, null],
          times: ["1999-12-31T23:59:59.999Z"],
          json: { snake_key: { inner_key: 1 }, camelKey: [{ a_b: null }] },
          noTime: null,
          noNumber: null,
          yes: true,
          short: "x"
        })
      }))

    it.effect("gives back the instants that it was given", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const instants = [
          "2026-01-02T03:04:05.678Z",
          "1970-01-01T00:00:00.000Z",
          "1969-12-31T23:59:59.999Z",
          "1999-12-31T23:59:59.999Z",
          "2000-01-01T00:00:00.000Z",
          "0001-01-01T00:00:00.000Z",
          "9999-12-31T23:59:59.999Z"
        ]
        for (const instant of instants) {
          const found = row(yield* sql`SELECT ${instant}::timestamptz AS text, ${new Date(instant)}::timestamptz AS date`)
          assert.deepStrictEqual(found, { text: instant, date: instant })
        }
        const found = row(yield* sql`SELECT 'infinity'::timestamptz AS later, '-infinity'::timestamptz AS before,
          '1969-12-31T23:59:59.999999Z'::timestamptz AS finer`)
        assert.deepStrictEqual(found, { later: "infinity", before: "-infinity", finer: "1969-12-31T23:59:59.999Z" })
      }))

    it.effect("fails on a bigint that a number would round, and goes on", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const exit = yield* Effect.exit(sql`SELECT 9007199254740993::int8 AS n`)
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* sql`SELECT 1::int8 AS n`, [{ n: 1 }])
      }))

    it.effect("binds arrays as parameters, with nulls, empty, and of nothing but nulls", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const ids = [randomUUID(), null, randomUUID()]
        const bytes = [Uint8Array.of(0, 1, 255), new Uint8Array(0), null]
        const words = ["a,{\"}\\", null, "NULL"]
        const numbers = [1, null, 9007199254740991]
        const times = [null, "2026-01-02T03:04:05.678Z", "1969-12-31T23:59:59.999Z"]
        const read = (rows: ReadonlyArray<Record<string, unknown>>) =>
          rows.map((found) => ({ ...found, b: found.b === null ? null : [...(found.b as Uint8Array)] }))
        const expected = ids.map((id, at) => ({
          id,
          b: bytes[at] === null ? null : [...bytes[at]!],
          word: words[at],
          n: numbers[at],
          time: times[at]
        }))
        const typed = yield* sql`SELECT * FROM unnest(
          ${arrayParameter.uuid(ids)}, ${arrayParameter.bytea(bytes)}, ${arrayParameter.text(words)},
          ${arrayParameter.int8(numbers)}, ${arrayParameter.timestamptz(times)}) AS t(id, b, word, n, time)`
        assert.deepStrictEqual(read(typed), expected)
        // A bare array goes too where the statement casts it and its elements are of one kind.
        const bare = yield* sql`SELECT * FROM unnest(${ids}::uuid[], ${bytes}::bytea[], ${words}::text[], ${
          [1, null, 2]
        }::int8[], ${times}::timestamptz[]) AS t(id, b, word, n, time)`
        assert.deepStrictEqual(read(bare), expected.map((line, at) => ({ ...line, n: [1, null, 2][at] })))
        const nulls = yield* sql`SELECT * FROM unnest(${arrayParameter.uuid([null])}, ${arrayParameter.bytea([null])}) AS t(id, b)`
        assert.deepStrictEqual(nulls, [{ id: null, b: null }])
        assert.deepStrictEqual(yield* sql`SELECT * FROM unnest(${[]}::uuid[], ${arrayParameter.bytea([])}) AS t(id, b)`, [])
        assert.deepStrictEqual(row(yield* sql`SELECT ${ids[0]} = ANY(${arrayParameter.uuid(ids)}) AS found`), { found: true })
      }))

    it.effect("translates names in both directions, and leaves the names inside JSON alone", () =>
      withTable("organization_id text, created_at timestamptz(3), payload jsonb", (table) =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const record = { organizationId: "o", createdAt: "2026-01-02T03:04:05.678Z", payload: sql.json({ keptAs_is: 1 }) }
          yield* sql`INSERT INTO ${sql(table)} ${sql.insert(record)}`
          const found = row(yield* sql`SELECT * FROM ${sql(table)} WHERE ${sql("organizationId")} = 'o'`)
          assert.deepStrictEqual(found, { ...record, payload: { keptAs_is: 1 } })
        })))

    it.effect("stores a mebibyte of bytes whole", () =>
      withTable("body bytea", (table) =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const body = randomBytes(1024 * 1024)
          yield* sql`INSERT INTO ${sql(table)} VALUES (${body})`
          const found = row(yield* sql<{ body: Uint8Array }>`SELECT body FROM ${sql(table)}`)
          assert.isTrue(body.equals(found.body))
        })))

    it.effect("tells a broken constraint by its name", () =>
      withTable("id int, CONSTRAINT one_of_each UNIQUE (id)", (table) =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          yield* sql`INSERT INTO ${sql(table)} VALUES (1)`
          const error = yield* Effect.flip(sql`INSERT INTO ${sql(table)} VALUES (1)`) as Effect.Effect<SqlError>
          assert.strictEqual(error.reason._tag, "UniqueViolation")
          assert.strictEqual((error.reason as { constraint?: string }).constraint, "one_of_each")
        })))

    it.effect("keeps a transaction's work together, and undoes it when it fails", () =>
      withTable("id int", (table) =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const insert = (id: number) => sql`INSERT INTO ${sql(table)} VALUES (${id})`
          yield* sql.withTransaction(Effect.gen(function*() {
            yield* insert(1)
            yield* Effect.ignore(sql.withTransaction(Effect.andThen(insert(2), Effect.fail("no"))))
            yield* insert(3)
          }))
          yield* Effect.ignore(sql.withTransaction(Effect.andThen(insert(4), sql`SELECT 1/0`)))
          yield* Effect.ignore(sql.withTransaction(Effect.andThen(insert(5), Effect.fail("no"))))
          assert.deepStrictEqual(yield* sql`SELECT id FROM ${sql(table)} ORDER BY id`, [{ id: 1 }, { id: 3 }])
        })))

    it.effect("runs the transactions of many fibers", () =>
      withTable("id int, n int", (table) =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          yield* sql`INSERT INTO ${sql(table)} VALUES (1, 0)`
          const add = sql.withTransaction(Effect.gen(function*() {
            const found = row(yield* sql<{ n: number }>`SELECT n FROM ${sql(table)} WHERE id = 1 FOR UPDATE`)
            yield* Effect.sleep(1)
            yield* sql`UPDATE ${sql(table)} SET n = ${found.n + 1} WHERE id = 1`
          }))
          yield* Effect.all(Array.from({ length: 30 }, () => add), { concurrency: "unbounded" })
          assert.deepStrictEqual(yield* sql`SELECT n FROM ${sql(table)}`, [{ n: 30 }])
        })))

    it.effect("leaves nothing of an interrupted transaction", () =>
      withTable("id int", (table) =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const inside = yield* Deferred.make<void>()
          const fiber = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
            yield* sql`INSERT INTO ${sql(table)} VALUES (1)`
            yield* sql`SET LOCAL application_name = 'left behind'`
            yield* Deferred.succeed(inside, undefined)
            yield* sql`SELECT pg_sleep(20)`
          })))
          yield* Deferred.await(inside)
          yield* Effect.sleep(50)
          const [, took] = yield* elapsed(Fiber.interrupt(fiber))
          assert.isBelow(took, 2000)
          yield* sql`INSERT INTO ${sql(table)} VALUES (2)`
          assert.deepStrictEqual(yield* sql`SELECT id FROM ${sql(table)}`, [{ id: 2 }])
          const found = row(yield* sql`SELECT current_setting('application_name') = 'left behind' AS leaked`)
          assert.deepStrictEqual(found, { leaked: false })
        })))

    it.effect("ends a statement at its time-out, and can be used at once", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const [exit, took] = yield* elapsed(Effect.timeout(sql`SELECT pg_sleep(20)`, 300))
        assert.isTrue(Exit.isFailure(exit))
        assert.isBelow(took, 2000)
        const [after, tookAfter] = yield* elapsed(sql`SELECT 1 AS n`)
        assert.deepStrictEqual(after, Exit.succeed([{ n: 1 }]))
        assert.isBelow(tookAfter, 2000)
      }))

    it.effect("gives up its own statement without waiting for somebody else's", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const other = yield* Effect.forkChild(sql`SELECT pg_sleep(3)`)
        yield* Effect.sleep(100)
        const [, took] = yield* elapsed(Effect.timeout(sql`SELECT pg_sleep(3), 'mine'`, 200))
        assert.isBelow(took, 1500)
        assert.isUndefined(other.pollUnsafe(), "the other statement goes on")
        yield* Fiber.interrupt(other)
      }))

    it.effect("tells everybody who listens, once, and only what was committed", () =>
      Effect.scoped(Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const channel = `Channel "${randomBytes(4).toString("hex")}"`
        const first = yield* sql.listen(channel)
        const second = yield* sql.listen(channel)
        const other = yield* sql.listen(`${channel}_other`)
        yield* Effect.ignore(sql.withTransaction(Effect.andThen(sql.notify(channel, "undone"), Effect.fail("no"))))
        yield* sql.withTransaction(sql.notify(channel, "one"))
        yield* sql.notify(channel, "two")
        for (const queue of [first, second]) {
          assert.strictEqual((yield* Queue.take(queue)).payload, "one")
          assert.strictEqual((yield* Queue.take(queue)).payload, "two")
        }
        assert.strictEqual(yield* Queue.size(other), 0)
      })))

    it.effect("goes on listening when another listener leaves", () =>
      Effect.scoped(Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const channel = `channel_${randomBytes(4).toString("hex")}`
        const stays = yield* sql.listen(channel)
        for (let round = 0; round < 3; round++) {
          yield* Effect.scoped(sql.listen(channel))
          yield* sql.notify(channel, `after ${round}`)
          assert.strictEqual((yield* Queue.take(stays)).payload, `after ${round}`)
        }
      })))

    it.effect("lets claimers skip what others hold", () =>
      withTable("id int, owner int", (table) =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          yield* sql`INSERT INTO ${sql(table)} SELECT n FROM generate_series(1, 40) n`
          const claim = (owner: number) =>
            sql`UPDATE ${sql(table)} SET owner = ${owner} WHERE id = (
              SELECT id FROM ${sql(table)} WHERE owner IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`
          const claimed = yield* Effect.all(Array.from({ length: 40 }, (_, at) => claim(at)), { concurrency: 8 })
          const ids = claimed.flat().map((found) => found.id as number).sort((a, b) => a - b)
          assert.deepStrictEqual(ids, Array.from({ length: 40 }, (_, at) => at + 1))
        })))

    it.effect("prepares more statements than it keeps, on several connections at once", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const ask = (n: number) => Effect.map(sql.unsafe<{ n: number }>(`SELECT ${n % 150} + $1::int AS n`, [n]), (rows) => row(rows).n === n + n % 150)
        const answers = yield* Effect.all(Array.from({ length: 600 }, (_, n) => ask(n)), { concurrency: 8 })
        assert.isTrue(answers.every((right) => right))
      }))

    it.effect("streams a large result, and may be left in the middle", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const rows = sql<{ n: number }>`SELECT n, repeat('x', 300) AS filler FROM generate_series(1, 20000) n`.stream
        assert.strictEqual(yield* Stream.runCount(rows), 20000)
        assert.strictEqual(yield* Stream.runCount(Stream.take(rows, 10)), 10)
        assert.deepStrictEqual(yield* sql`SELECT 1 AS n`, [{ n: 1 }])
      }))
  })
