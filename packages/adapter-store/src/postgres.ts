import { PgClient, PgTypes } from "@effect/sql-pg"
import { Duration, Effect, Fiber, type Layer, type Redacted, Result, Schema, Scope } from "effect"
import type { Reactivity } from "effect/reactivity/Reactivity"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { camelToSnake, snakeToCamel } from "effect/String"

/** The database cannot be used with these settings. The message never holds the address, which may hold a password. */
export class PostgresUnavailable extends Schema.TaggedError<PostgresUnavailable>()("PostgresUnavailable", {
  message: Schema.String,
  hint: Schema.String
}) {}

export interface PostgresOptions {
  /** A libpq address, `postgres://user:password@host:port/database?sslmode=require`. Certificates are verified. */
  readonly url: Redacted.Redacted
  /** Upper bound of the pool (10). Every `listen` holds one connection for as long as its scope is open. */
  readonly maxConnections?: number
  /** How long one connection attempt may take (5000). */
  readonly connectTimeoutMillis?: number
  /** The server ends a statement that runs longer than this. Unset: never. */
  readonly statementTimeoutMillis?: number
}

/** How long closing waits for connections that somebody still holds. */
const closeMillis = 5000

const failure = (message: string) => Result.fail(new PgTypes.CodecError({ message }))

/** The epoch of PostgreSQL's binary times, 2000-01-01, in microseconds of the Unix epoch. */
const epochMicros = 946_684_800_000_000n
const infinity = 0x7fff_ffff_ffff_ffffn
const minusInfinity = -0x8000_0000_0000_0000n

const int64 = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value)
  return bytes
}

const readInt64 = (bytes: Uint8Array): bigint =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigInt64(0)

/**
 * `timestamptz` as ISO 8601 UTC text with milliseconds. Finer digits are cut off, so columns that are compared with
 * what was read, as keyset cursors and compare-and-set do, must be `timestamptz(3)`.
 */
const instant: PgTypes.Codec<unknown> = {
  decode: (bytes) => {
    const micros = readInt64(bytes)
    if (micros === infinity) return Result.succeed("infinity")
    if (micros === minusInfinity) return Result.succeed("-infinity")
    const total = micros + epochMicros
    const millis = total / 1000n - (total % 1000n < 0n ? 1n : 0n)
    const date = new Date(Number(millis))
    return Number.isNaN(date.getTime()) ? failure(`A time of ${micros} µs has no ISO 8601 form`) : Result.succeed(date.toISOString())
  },
  encode: (value) => {
    if (value === "infinity") return Result.succeed(int64(infinity))
    if (value === "-infinity") return Result.succeed(int64(minusInfinity))
    const millis = value instanceof Date ? value.getTime() : typeof value === "string" ? Date.parse(value) : Number.NaN
    return Number.isNaN(millis)
      ? failure(`Expected an ISO 8601 time, received ${String(value)}`)
      : Result.succeed(int64(BigInt(millis) * 1000n - epochMicros))
  }
}

/** `int8` as a number. A value that a number cannot hold exactly is an error, never a rounded value. */
const integer: PgTypes.Codec<unknown> = {
  decode: (bytes) => {
    const value = readInt64(bytes)
    const number = Number(value)
    return Number.isSafeInteger(number) ? Result.succeed(number) : failure(`The bigint ${value} is beyond what a number holds exactly`)
  },
  encode: (value) => {
    if (typeof value === "bigint") return Result.succeed(int64(value))
    return Number.isSafeInteger(value) ? Result.succeed(int64(BigInt(value as number))) : failure(`Expected an integer, received ${String(value)}`)
  }
}

const types = PgTypes.makeRegistry()
types.register(PgTypes.OID.timestamptz, instant, { arrayOid: PgTypes.OID.timestamptzArray })
types.register(PgTypes.OID.int8, integer, { arrayOid: PgTypes.OID.int8Array })

/**
 * What both databases share, so that a store cannot tell them apart. `transformJson` is off because the names inside a
 * `jsonb` value belong to whoever wrote the value.
 */
const clientSettings = {
  applicationName: "coppice",
  types,
  transformResultNames: snakeToCamel,
  transformQueryNames: camelToSnake,
  transformJson: false
} satisfies PgClient.PgClientConfig

/**
 * A client with what the driver's own lacks. Its `notify` belongs to the transaction that it is called in: the driver's takes
 * another connection, tells of what is not committed yet, and waits for ever where connections share one session. And
 * it closes in bounded time: the driver's pool waits for whoever still holds a connection, a listener for instance.
 */
export const makeClient = Effect.fnUntraced(function*(
  config: PgClient.PgPoolConfig,
  closing: { readonly withinMillis: number; readonly first?: Effect.Effect<void> }
): Effect.fn.Return<PgClient.PgClient, SqlError, Scope.Scope | Reactivity> {
  const pool = yield* Scope.make()
  yield* Effect.addFinalizer(Effect.fnUntraced(function*(exit) {
    yield* closing.first ?? Effect.void
    const closed = yield* Effect.forkDetach(Scope.close(pool, exit))
    yield* Effect.interruptible(Effect.timeoutOption(Fiber.await(closed), closing.withinMillis))
  }))
  const client = yield* Scope.provide(PgClient.make({ ...clientSettings, ...config }), pool)
  return Object.assign(client, {
    notify: (channel: string, payload: string) => Effect.asVoid(client`SELECT pg_notify(${channel}, ${payload})`)
  })
})

const arrayOf = <A>(elementOid: number) => (values: ReadonlyArray<A | null>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, elementOid, types))

/**
 * Array parameters with their type said aloud. A bare JavaScript array is typed by looking at its elements, which fails
 * for one that holds only nulls, and for integers of which some need eight bytes; these never fail for such.
 */
export const arrayParameter = {
  text: arrayOf<string>(PgTypes.OID.text),
  uuid: arrayOf<string>(PgTypes.OID.uuid),
  bytea: arrayOf<Uint8Array>(PgTypes.OID.bytea),
  int8: arrayOf<number>(PgTypes.OID.int8),
  bool: arrayOf<boolean>(PgTypes.OID.bool),
  /** ISO 8601 strings. */
  timestamptz: arrayOf<string>(PgTypes.OID.timestamptz),
  jsonb: arrayOf<unknown>(PgTypes.OID.jsonb)
} as const

const unavailable = (error: SqlError) =>
  new PostgresUnavailable({
    message: `PostgreSQL cannot be used: ${reasonOf(error.reason.cause)}`,
    hint: "Check that DATABASE_URL names a running server, its user, password and database, and whether it asks for TLS (sslmode=require)."
  })

/** What the server or the system said, which the driver keeps under what it says itself. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  return cause instanceof Error ? cause.message : String(cause)
}

/** `PgClient` and `SqlClient` over a PostgreSQL server. Building it asks the server one question, so a bad address fails at the start. */
export const postgresLayer = (
  options: PostgresOptions
): Layer.Layer<PgClient.PgClient | SqlClient, PostgresUnavailable> =>
  PgClient.layerFrom(
    Effect.gen(function*() {
      const client = yield* makeClient({
        url: options.url,
        maxConnections: options.maxConnections ?? 10,
        connectTimeout: Duration.millis(options.connectTimeoutMillis ?? 5000),
        // Without probes, a server that vanished behind a silent network holds its connections for hours.
        keepAlive: Duration.seconds(30),
        startupParameters: {
          timezone: "UTC",
          ...(options.statementTimeoutMillis === undefined ? {} : { statement_timeout: String(options.statementTimeoutMillis) })
        }
      }, { withinMillis: closeMillis })
      yield* client`SELECT 1`
      return client
    }).pipe(Effect.mapError(unavailable))
  )
