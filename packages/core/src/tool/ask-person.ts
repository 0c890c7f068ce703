import { Context, Effect, Schema } from "effect"
import { Forbidden } from "../error.ts"
import type { ErrorCode } from "../error-code.ts"

/** What a person is asked in the middle of a call. */
export interface Question {
  readonly message: string
  /**
   * The name of what is asked for, unique in the call: the answer counts as an argument of that name would. Without one
   * it counts for this very question alone, in this very call: so it must be where it is a yes or a no.
   */
  readonly name?: string
  /** The fields of the answer: JSON Schema of a flat object, as MCP has it for forms. Without any it is yes or no. */
  readonly form: { readonly type: "object"; readonly properties: object; readonly required?: ReadonlyArray<string> }
}

/** What became of a question. What an accepted form holds is the client's word: decode it. */
export type Answer =
  | { readonly action: "accept"; readonly content: { readonly [field: string]: unknown } }
  | { readonly action: "decline" | "cancel" }

/**
 * The call cannot wait for its answer: it ends here, and is made anew with that. A tool lets this pass, and has changed
 * nothing before.
 */
export class AwaitsAnswer extends Schema.TaggedError<AwaitsAnswer>()("AwaitsAnswer", {
  message: Schema.String,
  questionKey: Schema.String
}) {
  readonly code = "CONFLICT" satisfies ErrorCode
}

/** Asks the person at the client. `undefined` where none can be asked, as everywhere unless the transport can. */
export const AskPerson = Context.Reference<(question: Question) => Effect.Effect<Answer | undefined, AwaitsAnswer>>(
  "@coppice/core/tool/AskPerson",
  { defaultValue: () => () => Effect.undefined }
)

/** As much of the arguments as a person would read. */
const maxShown = 1000

const shown = (args: object): string => {
  const text = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join("\n")
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/** Has the person at the client say yes to a call that may take something away; where nobody can be asked, goes on. */
export const confirmCall = Effect.fn("confirmCall")(function*(
  tool: { readonly title: string; readonly description: string },
  args: object
) {
  const ask = yield* AskPerson
  const answer = yield* ask({
    message: `${tool.title}? ${tool.description}\n${shown(args)}`.trim(),
    form: { type: "object", properties: {} }
  })
  if (answer === undefined || answer.action === "accept") return
  return yield* new Forbidden({
    message: answer.action === "decline" ? "The person declined. Nothing was done." : "The person did not say yes. Nothing was done.",
    hint: "Do not try it again unless they ask for it."
  })
})
