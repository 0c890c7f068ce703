import { endMcpSession } from "@coppice/core"
import { Effect } from "effect"
import { Refused } from "../errors/failure.ts"
import type { Call } from "../pipeline/call.ts"
import { empty } from "../reply.ts"
import { sessionIdHeader } from "./session-id.ts"

export const sessionIdMissing = () =>
  new Refused({
    code: "INVALID_REQUEST",
    message: "The Mcp-Session-Id field is missing.",
    hint: "Send the session's id, as the answer to initialize gave it."
  })

export const sessionNotFound = () =>
  new Refused({ code: "NOT_FOUND", message: "Session not found.", hint: "Begin a new one with initialize." })

/** DELETE: the client ends its session. */
export const endSessionEndpoint = Effect.fnUntraced(function*({ request }: Call) {
  const id = request.headers.get(sessionIdHeader)
  if (id === null) return yield* sessionIdMissing()
  return (yield* endMcpSession(id)) ? empty(200) : yield* sessionNotFound()
})
