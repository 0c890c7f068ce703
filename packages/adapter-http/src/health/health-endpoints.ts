import { Effect } from "effect"
import { Refused } from "../errors/failure.ts"
import { json } from "../reply.ts"

/** The process answers. */
export const healthz = () => Effect.succeed(json(200, { status: "ok" }))

const notReady = () =>
  new Refused({
    code: "UNAVAILABLE",
    message: "The service is not ready.",
    hint: "It is starting or stopping, or its database does not answer.",
    headers: { "retry-after": "1" }
  })

/** The database answers within two seconds, its migrations are done, and the service is not stopping. */
export const readyz = <R>(ready: Effect.Effect<boolean, never, R>) => () =>
  ready.pipe(
    Effect.timeoutOrElse({ duration: "2 seconds", orElse: () => Effect.succeed(false) }),
    Effect.catchDefect(() => Effect.succeed(false)),
    Effect.flatMap((isReady) => isReady ? Effect.succeed(json(200, { status: "ready" })) : Effect.fail(notReady()))
  )
