import { Data } from "effect"

/** Something that the operator has to settle before the service can start. It is shown without a stack trace. */
export class StartFailure extends Data.TaggedError("StartFailure")<{
  readonly message: string
  readonly hint?: string | undefined
  /** Another process has the data folder; it may let go of it, or be a server that is starting. */
  readonly reason?: "home-taken"
}> {}
