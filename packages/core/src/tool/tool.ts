import { sha256 } from "@oslojs/crypto/sha2"
import { encodeHexLowerCase } from "@oslojs/encoding"
import { Cause, DateTime, Effect, Schema } from "effect"
import { CurrentPrincipal } from "../organization/principal.ts"
import { requireAllProjects, requireFullAccess } from "../organization/require-access.ts"
import { Conflict, InvalidRequest } from "../error.ts"
import type { ErrorCode } from "../error-code.ts"
import { now } from "../timestamp.ts"
import { confirmCall } from "./ask-person.ts"
import type { Content } from "./content.ts"
import { IdempotencyStore } from "./idempotency-store.ts"

/** A failure that a caller can act on. Every error of a use case has this shape. */
export interface ToolFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string | undefined
}

export type JsonObject = { readonly [key: string]: unknown }

/** A tool as clients see it and as a transport calls it: plain JSON in, plain JSON out. */
export interface Tool<R = never> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly toolset: string
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly call: (args: unknown) => Effect.Effect<JsonObject, ToolFailure, R>
  /** What a model is shown of a result; where it is left out, the result as JSON. */
  readonly show?: (result: JsonObject) => ReadonlyArray<Content>
}

/** What a tool does to the world: only looks, changes something, or may take something away. */
type Effects = "reads" | "changes" | "destroys"

const idempotencyField = {
  idempotencyKey: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotate({
      description: "Makes a repetition safe: for 24 hours the same key and arguments answer the first result again"
    })
  )
}

const decodeKey = Schema.decodeUnknownEffect(idempotencyField.idempotencyKey)

const keptMillis = 24 * 60 * 60 * 1000

/** JSON Schema 2020-12 of a struct; what it names is kept under `$defs`, where its references point. */
const jsonSchema = (schema: Schema.Constraint, closed: boolean): JsonObject => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: closed ? "error" : "ignore" })
  const definitions = Object.keys(document.definitions).length === 0 ? {} : { $defs: document.definitions }
  return { type: "object", ...document.schema, ...definitions }
}

const describeIssue = (message: string): string => message.replace(/\n\s+at /g, " at ").replace(/\n/g, "; ")

/** JSON with the keys of every object in order: two spellings of the same arguments are the same call. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => left < right ? -1 : 1))
      : part)

/**
 * Runs a changing call once for each idempotency key, and answers repetitions from the first result. A call that failed
 * frees its key. One that died may have done something: its key stays taken, so that a repetition does not do it twice.
 * To credentials for other projects it is another call, so that none is answered what another could see.
 */
const once = Effect.fn("once")(function*<R>(
  name: string,
  key: string,
  args: unknown,
  run: Effect.Effect<JsonObject, ToolFailure, R>
) {
  const store = yield* IdempotencyStore
  const { organizationId, projectIds, userId } = yield* CurrentPrincipal
  const identity = projectIds === undefined ? [name, args] : [name, args, projectIds.toSorted()]
  const fingerprint = encodeHexLowerCase(sha256(new TextEncoder().encode(canonicalJson(identity))))
  const call = { organizationId, userId, key, fingerprint }
  const at = yield* now
  const begun = yield* store.begin(call, at, DateTime.add(at, { milliseconds: keptMillis }))
  switch (begun._tag) {
    case "done":
      return JSON.parse(begun.result) as JsonObject
    case "mismatch":
      return yield* new Conflict({
        message: "This idempotencyKey was used for another call.",
        hint: "Use a new key for each thing that you want done."
      })
    case "pending":
      return yield* new Conflict({
        message: "The first call with this idempotencyKey has not ended, or was cut off.",
        hint: "Wait for it; or look whether it took effect, and use a new key if it did not."
      })
  }
  const result = yield* Effect.onError(run, (cause) => Cause.hasDies(cause) ? Effect.void : store.abandon(call))
  yield* store.complete(call, JSON.stringify(result))
  return result
})

/** Fields that are decoded and encoded without any service. */
type PureFields = { readonly [name: string]: Schema.ConstraintCodec<unknown, unknown, never, never> }

/**
 * Declares a tool. All that is said of it anywhere (tools/list, server card, documents) is computed from this value.
 * What changes something is for credentials with full access only, takes an `idempotencyKey`, and once begun is carried
 * through even if the caller goes away, unless it is `cancellable`: then its use case undoes what was begun. What may
 * destroy something is confirmed first by the person at the client, where one can be asked.
 */
export const defineTool = <
  const Input extends PureFields,
  const Output extends PureFields,
  E extends ToolFailure,
  R
>(declaration: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effects: Effects
  readonly idempotent?: boolean
  readonly openWorld?: boolean
  readonly cancellable?: boolean
  /** It concerns every project, and so is nothing for a credential for some. */
  readonly needsAllProjects?: boolean
  readonly input: Input
  readonly output: Output
  readonly show?: NonNullable<Tool["show"]>
  readonly run: (input: Schema.Struct<Input>["Type"]) => Effect.Effect<Schema.Struct<Output>["Type"], E, R>
}) => {
  const { effects, name } = declaration
  const reads = effects === "reads"
  const input = Schema.Struct(declaration.input)
  const output = Schema.Struct(declaration.output)
  const decode = Schema.decodeUnknownEffect(input, { onExcessProperty: "error", errors: "all" })
  const encode = Schema.encodeEffect(output)
  const run = (value: typeof input.Type) =>
    declaration.run(value).pipe(Effect.flatMap((result) => Effect.orDie(encode(result))))

  const call = Effect.fn(name)(function*(args: unknown) {
    if (!reads) yield* requireFullAccess
    if (declaration.needsAllProjects === true) yield* requireAllProjects
    const { idempotencyKey, ...rest } = (args ?? {}) as JsonObject
    const invalid = (message: string) =>
      new InvalidRequest({
        message: `Invalid arguments for ${name}: ${describeIssue(message)}.`,
        hint: "See the tool's input schema."
      })
    if (!reads && idempotencyKey !== undefined) {
      yield* Effect.mapError(decodeKey(idempotencyKey), () => invalid("Expected 1 to 200 characters at idempotencyKey"))
    }
    const given = reads || args === null || typeof args !== "object" || Array.isArray(args) ? args ?? {} : rest
    const value = yield* Effect.mapError(decode(given), (error) => invalid(error.message))
    if (reads) return yield* run(value)
    return yield* Effect.uninterruptibleMask((outside) => {
      const restore: typeof outside = declaration.cancellable === true ? outside : (effect) => effect
      const act = effects === "destroys"
        ? Effect.andThen(outside(confirmCall(declaration, rest)), restore(run(value)))
        : restore(run(value))
      return typeof idempotencyKey === "string" ? once(name, idempotencyKey, rest, act) : act
    })
  })

  return {
    name,
    title: declaration.title,
    description: declaration.description,
    toolset: name.slice(0, name.lastIndexOf("_")),
    annotations: {
      readOnlyHint: reads,
      destructiveHint: effects === "destroys",
      idempotentHint: reads || declaration.idempotent === true,
      openWorldHint: declaration.openWorld === true
    },
    inputSchema: jsonSchema(reads ? input : Schema.Struct({ ...declaration.input, ...idempotencyField }), true),
    outputSchema: jsonSchema(output, false),
    call,
    ...(declaration.show === undefined ? {} : { show: declaration.show })
  }
}
