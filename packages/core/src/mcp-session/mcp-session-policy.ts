import type { Principal } from "../organization/principal.ts"
import { LogLevel, type McpSessionOwner } from "./mcp-session.ts"

/** How long a session may be idle: a day. */
export const mcpSessionIdleMillis = 24 * 60 * 60 * 1000

/** How many sessions a credential may have. One more ends the one that was idle for longest. */
export const maxMcpSessions = 200

/** A session belongs to the very credential that began it: a colleague does not find it, nor the same user by another key. */
export const mcpSessionOwner = ({ apiKeyId, organizationId, userId }: Principal): McpSessionOwner => ({
  organizationId,
  userId,
  credential: apiKeyId === undefined ? "operator" : `api-key:${apiKeyId}`
})

/** Whether a message of that severity is to be sent where the client asked for `threshold`. */
export const isLogged = (level: LogLevel, threshold: LogLevel): boolean =>
  LogLevel.literals.indexOf(level) >= LogLevel.literals.indexOf(threshold)
