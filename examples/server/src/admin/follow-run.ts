import { CurrentPrincipal, getRun, hasEnded, listRunEvents, RunEvent } from "@coppice/core"
import { Effect, Option, Schema, Stream } from "effect"
import { operatorPrincipal } from "./operator.ts"

const pageSize = 500
const pollMillis = 250

const encode = Schema.encodeEffect(Schema.Array(RunEvent))

/** A run's events after that sequence, as they come, until it has ended. */
export const followRun = (runId: string, afterSequence: number, user: string | undefined) =>
  Stream.unwrap(Effect.map(operatorPrincipal(user), (principal) =>
    Stream.paginate({ afterSequence, ended: false }, ({ afterSequence, ended }) =>
      Effect.gen(function*() {
        const events = yield* listRunEvents(runId, afterSequence, pageSize)
        // What came before the end is stored before the end is: one more look after it finds the rest.
        const over = events.length === 0 && hasEnded((yield* getRun(runId)).status)
        if (events.length === 0 && !over) yield* Effect.sleep(pollMillis)
        const next = { afterSequence: events.at(-1)?.sequence ?? afterSequence, ended: over }
        return [yield* Effect.orDie(encode(events)), ended && over ? Option.none() : Option.some(next)] as const
      }).pipe(Effect.provideService(CurrentPrincipal, principal)))))
