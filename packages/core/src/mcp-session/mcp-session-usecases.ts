import { encodeBase64urlNoPadding } from "@oslojs/encoding"
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { CurrentPrincipal } from "../organization/principal.ts"
import { now } from "../timestamp.ts"
import { type LogLevel, type McpSession, McpSessionId } from "./mcp-session.ts"
import { isLogged, maxMcpMessages, maxMcpSessions, mcpRequestKey, mcpSessionIdleMillis, mcpSessionOwner } from "./mcp-session-policy.ts"
import { McpSessionStore } from "./mcp-session-store.ts"

const isId = Schema.is(McpSessionId)

const newSessionId = Effect.map(
  SecureRandom.use((random) => random.randomBytes(32)),
  (bytes) => McpSessionId.make(encodeBase64urlNoPadding(bytes))
)

/** What a client names itself is kept for people to read: as much as they would. */
const brief = (text: string): string => text.slice(0, 200)

/** Begins a session for the caller's credential. */
export const beginMcpSession = Effect.fn("beginMcpSession")(function*(client: {
  readonly protocolVersion: string
  readonly name: string
  readonly version: string
  readonly elicits: boolean
}) {
  const id = yield* newSessionId
  const at = yield* now
  yield* (yield* McpSessionStore).create({
    id,
    ...mcpSessionOwner(yield* CurrentPrincipal),
    protocolVersion: client.protocolVersion,
    clientName: brief(client.name),
    clientVersion: brief(client.version),
    elicits: client.elicits,
    logLevel: "info",
    createdAt: at,
    updatedAt: at
  }, { idleMillis: mcpSessionIdleMillis, maxSessions: maxMcpSessions })
  return id
})

/** The caller's session by that id, which is used hereby; `undefined` for any other text. */
export const useMcpSession = Effect.fn("useMcpSession")(function*(id: string) {
  const owner = mcpSessionOwner(yield* CurrentPrincipal)
  return isId(id) ? yield* (yield* McpSessionStore).use(owner, id, mcpSessionIdleMillis) : undefined
})

export const setMcpLogLevel = Effect.fn("setMcpLogLevel")(function*(id: McpSessionId, level: LogLevel) {
  yield* (yield* McpSessionStore).setLogLevel(mcpSessionOwner(yield* CurrentPrincipal), id, level)
})

/** Ends the caller's session. Answers whether there was one. */
export const endMcpSession = Effect.fn("endMcpSession")(function*(id: string) {
  const owner = mcpSessionOwner(yield* CurrentPrincipal)
  return isId(id) && (yield* (yield* McpSessionStore).end(owner, id))
})

/** Ends a request of the session, on whichever replica it is served. */
export const cancelMcpRequest = Effect.fn("cancelMcpRequest")(function*(session: McpSession, requestId: string | number) {
  yield* (yield* McpSessionStore).cancel(session.id, mcpRequestKey(requestId))
})

/** Opens the stream of the caller's session for what the server sends of its own accord. The one before ends. */
export const openMcpStream = Effect.fn("openMcpStream")(function*(id: string) {
  const owner = mcpSessionOwner(yield* CurrentPrincipal)
  return isId(id) ? yield* (yield* McpSessionStore).openStream(owner, id) : undefined
})

/** Sends a log message to a session's client, if it wants those of that severity. */
export const logToMcpSession = Effect.fn("logToMcpSession")(function*(session: McpSession, level: LogLevel, data: object) {
  if (!isLogged(level, session.logLevel)) return
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { level, logger: "coppice", data } }
  yield* (yield* McpSessionStore).say(session.id, JSON.stringify(message), maxMcpMessages)
})
