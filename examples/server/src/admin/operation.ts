import { InvalidRequest, type JsonObject, type ToolFailure } from "@coppice/core"
import { Effect, Schema } from "effect"
import { describeIssues } from "../config/describe-issues.ts"

/** What the operator can have done: plain JSON in, plain JSON out. */
export interface Operation<R> {
  readonly name: string
  readonly call: (args: unknown) => Effect.Effect<JsonObject, ToolFailure, R>
}

type PureFields = { readonly [name: string]: Schema.ConstraintCodec<unknown, unknown, never, never> }

/** An operation that is no tool, because what passes through it must not pass through a model: users, keys, tokens. */
export const defineOperation = <const Input extends PureFields, const Output extends PureFields, E extends ToolFailure, R>(
  declaration: {
    readonly name: string
    readonly input: Input
    readonly output: Output
    readonly run: (input: Schema.Struct<Input>["Type"]) => Effect.Effect<Schema.Struct<Output>["Type"], E, R>
  }
) => {
  const decode = Schema.decodeUnknownEffect(Schema.Struct(declaration.input), { errors: "all", onExcessProperty: "error" })
  const encode = Schema.encodeEffect(Schema.Struct(declaration.output))
  return {
    name: declaration.name,
    call: Effect.fn(declaration.name)(function*(args: unknown) {
      const input = yield* Effect.mapError(decode(args), (error) =>
        new InvalidRequest({ message: `${describeIssues(error).join("; ")}.` }))
      return yield* Effect.uninterruptible(
        Effect.flatMap(declaration.run(input), (result) => Effect.orDie(encode(result)))
      )
    })
  }
}
