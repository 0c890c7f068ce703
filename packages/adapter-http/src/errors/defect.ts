import { Cause, Effect } from "effect"
import type { Failure } from "./failure.ts"

/**
 * Logs what nobody foresaw, whole, and gives what may be shown of it: an id to find it in the log by. An outage that
 * will pass, as a database that is down, is told apart from a mistake in the program.
 */
export const reportDefect = Effect.fnUntraced(function*(
  cause: Cause.Cause<unknown>,
  isOutage: (defect: unknown) => boolean
): Effect.fn.Return<Failure> {
  const id = crypto.randomUUID()
  yield* Effect.logError("Unexpected failure", cause).pipe(Effect.annotateLogs({ errorId: id }))
  return isOutage(Cause.squash(cause))
    ? {
      code: "UNAVAILABLE",
      message: `Something that the service needs does not answer (${id}).`,
      hint: "Try again in a moment.",
      headers: { "retry-after": "5" }
    }
    : {
      code: "INTERNAL",
      message: `Something unexpected went wrong (${id}).`,
      hint: "Try again; if it stays, give this id to whoever runs the service."
    }
})
