import { CurrentPrincipal } from "@coppice/core"
import type { ApiKeyStore, BrowserSessionStore, OAuthTokenStore, OrganizationStore, UserStore } from "@coppice/core/ports"
import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { Endpoint } from "../endpoint.ts"
import type { Failure } from "../errors/failure.ts"
import type { Reply } from "../reply.ts"
import { authenticate, identify } from "./authenticate.ts"
import type { Call } from "./call.ts"
import { gone } from "./deprecation.ts"
import { handlePage } from "./handle-page.ts"

/** What the pipeline itself needs: to tell who is calling. */
export type PipelinePorts = ApiKeyStore | BrowserSessionStore | OAuthTokenStore | OrganizationStore | SecureRandom | UserStore

/** An endpoint's own part: gone, or else who is calling and what the handler answers. */
export const handleCall = <R>(
  endpoint: Endpoint<R>,
  call: Call,
  isOutage: (defect: unknown) => boolean
): Effect.Effect<Reply, Failure, R | PipelinePorts> => {
  if (endpoint.security === "browser" || endpoint.security === "visitor") return handlePage<R>(endpoint, call, isOutage)
  if ("removed" in endpoint) return Effect.fail(gone(endpoint.removed.replacement))
  if (endpoint.security !== "bearer") return endpoint.handle(call)
  const { limit } = endpoint
  if (limit === undefined) {
    return Effect.flatMap(identify(call), (principal) =>
      Effect.provideService(endpoint.handle(call), CurrentPrincipal, principal))
  }
  return Effect.flatMap(authenticate(call, limit), ({ principal, usage }) =>
    endpoint.handle(call).pipe(
      Effect.provideService(CurrentPrincipal, principal),
      // A handler that counted more, as for a batch, knows better.
      Effect.map((reply): Reply => ({ ...reply, usage: reply.usage ?? usage })),
      Effect.mapError((failure): Failure => {
        const { code, headers, hint, message } = failure
        return { code, headers, hint, message, usage: failure.usage ?? usage }
      })
    ))
}
