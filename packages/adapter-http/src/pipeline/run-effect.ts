import type { Context } from "effect"
import { Cause, Effect, Exit } from "effect"
import { reportDefect } from "../errors/defect.ts"
import { failureReply } from "../errors/error-envelope.ts"
import { empty, type Reply } from "../reply.ts"
import { nodeExchange } from "./call.ts"

/** Ends the work when nobody waits for its answer any more. */
const onDisconnect = (request: Request, interrupt: () => void): void => {
  const node = nodeExchange(request)
  if (node === undefined) request.signal.addEventListener("abort", interrupt, { once: true })
  else node.res.once("close", interrupt)
}

/**
 * Runs one request's effect as one fiber, to its reply. A defect is 500, or 503 where `isOutage` says that it will
 * pass, and neither shows what it was.
 */
export const makeRunEffect = <R>(context: Context.Context<R>, isOutage: (defect: unknown) => boolean) => {
  const runFork = Effect.runForkWith(context)
  const render = (cause: Cause.Cause<unknown>) => Effect.map(reportDefect(cause, isOutage), failureReply)
  return (request: Request, effect: Effect.Effect<Reply, never, R>): Promise<Reply> =>
    new Promise((resolve) => {
      const fiber = runFork(effect)
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit)) return resolve(exit.value)
        // Nobody is there to read the answer to an interrupted request.
        if (Cause.hasInterruptsOnly(exit.cause)) return resolve(empty(499))
        runFork(render(exit.cause)).addObserver((rendered) =>
          resolve(Exit.isSuccess(rendered) ? rendered.value : empty(500)))
      })
      if (fiber.pollUnsafe() === undefined) onDisconnect(request, () => fiber.interruptUnsafe())
    })
}
