import type { OAuthError } from "@coppice/core"
import { Cause, Effect } from "effect"
import { json, type HeaderFields, type Reply } from "../reply.ts"
import { reportDefect } from "./defect.ts"

/** What is told to a client is for it alone (RFC 6749 section 5.1); Pragma is for caches of HTTP/1.0. */
export const noStore: HeaderFields = { "cache-control": "no-store", pragma: "no-cache" }

const envelope = (error: string, description: string) => ({ error, error_description: description })

/** `{ error, error_description }`: the only place that writes it. 400, but for HTTP Basic that failed (RFC 6749 section 5.2). */
export const oauthErrorReply = ({ basic, description, error }: OAuthError): Reply =>
  basic === true
    ? json(401, envelope(error, description), { ...noStore, "www-authenticate": "Basic realm=\"coppice\"" })
    : json(400, envelope(error, description), noStore)

/**
 * Answers in that envelope whatever goes wrong. An outage is never told as a fault of the client's: it would throw away
 * its registration, or its tokens.
 */
export const orOAuthError = <R>(effect: Effect.Effect<Reply, OAuthError, R>, isOutage: (defect: unknown) => boolean): Effect.Effect<Reply, never, R> =>
  effect.pipe(
    Effect.catch((error) => Effect.succeed(oauthErrorReply(error))),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.map(reportDefect(cause, isOutage), ({ code, headers, message }) =>
          code === "UNAVAILABLE"
            ? json(503, envelope("temporarily_unavailable", message), { ...noStore, ...headers })
            : json(500, envelope("server_error", message), noStore))
    )
  )
