import { Effect, Queue, Stream } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { McpSession } from "./mcp-session.ts"
import { mcpAnswerMinutes, mcpRequestKey } from "./mcp-session-policy.ts"
import { McpQuestionStore } from "./mcp-question-store.ts"
import { McpSessionStore } from "./mcp-session-store.ts"

/**
 * Sends a request to a session's client, and waits for its answer (JSON), to whichever replica it comes. `undefined` when
 * the session ends, or nothing has come for ten minutes.
 */
export const askMcpClient = Effect.fn("askMcpClient")(function*(session: McpSession, send: (id: string) => void) {
  const questions = yield* McpQuestionStore
  const id = yield* SecureRandom.use((random) => random.uuidV4())
  const key = mcpRequestKey(id)
  const wake = yield* Queue.sliding<void>(1)
  yield* (yield* McpSessionStore).listen(session, () => void Queue.offerUnsafe(wake, undefined))
  yield* Effect.acquireRelease(questions.open(session.id, key), () => questions.close(session.id, key))
  send(id)
  const question = yield* Stream.fromQueue(wake).pipe(
    Stream.mapEffect(() => questions.look(session.id, key)),
    Stream.filter((question) => question === undefined || question.answer !== undefined),
    Stream.runHead,
    Effect.timeoutOption(mcpAnswerMinutes * 60_000)
  )
  return question._tag === "Some" && question.value._tag === "Some" ? question.value.value?.answer : undefined
}, Effect.scoped)

/** Keeps what a session's client answers to a request of the server's. What nobody asked is passed over. */
export const answerMcpQuestion = Effect.fn("answerMcpQuestion")(function*(
  session: McpSession,
  requestId: string | number,
  response: object
) {
  yield* (yield* McpQuestionStore).answer(session.id, mcpRequestKey(requestId), JSON.stringify(response))
})
