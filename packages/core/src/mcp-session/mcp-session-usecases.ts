import { encodeBase64urlNoPadding } from "@oslojs/encoding"
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { CurrentPrincipal } from "../organization/principal.ts"
import { now } from "../timestamp.ts"
import { type LogLevel, McpSessionId } from "./mcp-session.ts"
import { maxMcpSessions, mcpSessionIdleMillis, mcpSessionOwner } from "./mcp-session-policy.ts"
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
}) {
  const id = yield* newSessionId
  const at = yield* now
  yield* (yield* McpSessionStore).create({
    id,
    ...mcpSessionOwner(yield* CurrentPrincipal),
    protocolVersion: client.protocolVersion,
    clientName: brief(client.name),
    clientVersion: brief(client.version),
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
