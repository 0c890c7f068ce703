import { Schema } from "effect"

/** How an agent gets its prompt: on standard input, as a file's path, or as an argument. */
export const PromptDelivery = Schema.Literals(["stdin", "file", "argument"])
export type PromptDelivery = typeof PromptDelivery.Type

/** A coding agent that a host can run. */
export const Agent = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  prompt: PromptDelivery,
  timeoutSeconds: Schema.optionalKey(Schema.Int),
  /** Absent when its program was found. */
  unavailableReason: Schema.optionalKey(Schema.String)
})
export type Agent = typeof Agent.Type
