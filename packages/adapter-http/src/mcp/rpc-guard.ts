import { AwaitsAnswer } from "@coppice/core"
import { Cause, Effect } from "effect"
import { reportDefect } from "../errors/defect.ts"
import type { Failure } from "../errors/failure.ts"
import { RpcFailure, rpcCode } from "../errors/json-rpc-error.ts"

/** Failures that no other request would have avoided. */
const ownFailures: ReadonlySet<Failure["code"]> = new Set(["INTERNAL", "UNAVAILABLE", "TIMEOUT"])

const rpcFailure = ({ code, hint, message }: Failure): RpcFailure =>
  new RpcFailure(
    ownFailures.has(code) ? rpcCode.internalError : rpcCode.invalidParams,
    message,
    hint === undefined ? { code } : { code, hint }
  )

/** Has what fails, whatever it is, fail as JSON-RPC has it; defects are logged, and show nothing of themselves. */
export const makeGuard = (isOutage: (defect: unknown) => boolean) =>
<A, E extends Failure | RpcFailure | AwaitsAnswer, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, RpcFailure | Extract<E, AwaitsAnswer>, R> =>
  effect.pipe(
    Effect.mapError((failure) =>
      failure instanceof RpcFailure || failure instanceof AwaitsAnswer
        ? failure as RpcFailure | Extract<E, AwaitsAnswer>
        : rpcFailure(failure as Failure)
    ),
    Effect.catchCause((cause) =>
      Cause.hasDies(cause)
        ? Effect.flatMap(reportDefect(cause, isOutage), (failure) => Effect.fail(rpcFailure(failure)))
        : Effect.failCause(cause)
    )
  )
