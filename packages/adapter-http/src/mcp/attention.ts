import { credentialOf, CurrentPrincipal, mcpRequestKey, type McpSession, type McpSignal } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { Deferred, Effect, Option } from "effect"
import { identify } from "../pipeline/authenticate.ts"
import type { Call } from "../pipeline/call.ts"

/**
 * Has an effect answer a request for as long as that is wanted: `None` once the client cancels it in its session, on
 * whichever replica it says so, or once its credential has ended.
 */
export const whileWanted = Effect.fnUntraced(function*<A, R>(
  call: Call,
  session: McpSession | undefined,
  requestId: string | number,
  effect: Effect.Effect<A, never, R>
) {
  const store = yield* McpSessionStore
  const credential = credentialOf(yield* CurrentPrincipal)
  const key = mcpRequestKey(requestId)
  const unwanted = Deferred.makeUnsafe<void>()
  const runFork = Effect.runForkWith(yield* Effect.context<Effect.Services<ReturnType<typeof identify>>>())
  const tell = (signal: McpSignal): void => {
    if (signal._tag === "Cancel" && signal.request === key) Deferred.doneUnsafe(unwanted, Effect.void)
    if (signal._tag === "Changed") {
      runFork(Effect.catch(Effect.asVoid(identify(call)), () => Deferred.succeed(unwanted, undefined)))
    }
  }
  const to = session === undefined ? { credential } : { credential, id: session.id }
  return yield* Effect.raceFirst(
    Effect.asSome(effect),
    Effect.as(Deferred.await(unwanted), Option.none<A>())
  ).pipe(
    (race) => Effect.andThen(store.listen(to, tell), race),
    Effect.scoped
  )
})
