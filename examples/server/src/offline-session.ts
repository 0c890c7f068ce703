import { CurrentPrincipal, getRun, hasEnded } from "@coppice/core"
import { Cause, Effect, Exit, ManagedRuntime, Stream } from "effect"
import { followRun } from "./admin/follow-run.ts"
import { callOperation } from "./admin/operation-catalog.ts"
import { operatorPrincipal } from "./admin/operator.ts"
import { Failed, type Session } from "./cli/command.ts"
import { servicesLayer } from "./compose.ts"
import { loadConfig } from "./config/config.ts"
import { logLayer } from "./log.ts"

const unwrap = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

const asFailure = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error
    ? new Failed(error as unknown as ConstructorParameters<typeof Failed>[0])
    : error

/** Commands without a server: this process has the data folder and does the work itself, without taking up any run. */
export const offlineSession = async (user: string | undefined) => {
  const config = unwrap(await Effect.runPromiseExit(loadConfig(process.env)))
  const runtime = ManagedRuntime.make(servicesLayer(config))
  const log = logLayer(config.log, "Warn")
  unwrap(await Effect.runPromiseExit(Effect.provide(Effect.asVoid(runtime.contextEffect), log)))
  const run = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>) =>
    runtime.runPromise(Effect.provide(effect, log)).catch((error) => Promise.reject(asFailure(error)))
  const session: Session = {
    // What an operation answers was encoded by its own schema.
    call: (operation, args) => run(callOperation({ operation, arguments: args, user })) as Promise<never>,
    follow: async function*(runId, afterSequence) {
      const found = await run(Effect.gen(function*() {
        const principal = yield* operatorPrincipal(user)
        return yield* Effect.provideService(getRun(runId), CurrentPrincipal, principal)
      }))
      if (!hasEnded(found.status)) {
        throw new Failed({
          code: "CONFLICT",
          message: `The run is ${found.status}, and no server is running that would take it on.`,
          hint: "Start the server (npm start), or leave --follow out."
        })
      }
      yield* await run(Stream.runCollect(followRun(runId, afterSequence, user)))
    }
  }
  return { session, close: () => runtime.dispose() }
}
