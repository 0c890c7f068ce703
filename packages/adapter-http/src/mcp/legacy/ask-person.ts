import { type Answer, askMcpClient, AskPerson, type McpSession, type Question } from "@coppice/core"
import type { McpQuestionStore, McpSessionStore } from "@coppice/core/ports"
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { Outgoing } from "../answer.ts"

/** What the client's response says. One that fails, or says nothing that can be understood, is no consent. */
const answerOf = (json: string | undefined): Answer => {
  const { result } = (json === undefined ? {} : JSON.parse(json)) as { readonly result?: unknown }
  const parsed = ElicitResultSchema.safeParse(result)
  if (!parsed.success) return { action: "cancel" }
  const { action, content } = parsed.data
  return action === "accept" ? { action, content: content ?? {} } : { action }
}

/** Asks the person at a session's client with `elicitation/create`, on the stream of the answer to their request. */
const ask = Effect.fnUntraced(function*(session: McpSession, send: (message: Outgoing) => void, { form, message }: Question) {
  // The first revision that has it knows forms only, and no word for them.
  const mode = session.protocolVersion >= "2025-11-25" ? { mode: "form" } : {}
  const params = { ...mode, message, requestedSchema: form }
  const response = yield* askMcpClient(session, (id) => send({ jsonrpc: "2.0", id, method: "elicitation/create", params } as Outgoing))
  return answerOf(response)
})

type Ports = McpQuestionStore | McpSessionStore | SecureRandom

/** Lets what is done for a session's client ask the person there. */
export const withPersonOf = (session: McpSession, send: (message: Outgoing) => void) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Ports> =>
  Effect.flatMap(Effect.context<Ports>(), (context) =>
    Effect.provideService(effect, AskPerson, (question) => Effect.provideContext(ask(session, send, question), context)))
