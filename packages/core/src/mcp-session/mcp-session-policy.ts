import { sha256 } from "@oslojs/crypto/sha2"
import { encodeHexLowerCase } from "@oslojs/encoding"
import type { Principal } from "../organization/principal.ts"
import { LogLevel, type McpSessionOwner } from "./mcp-session.ts"

/** How long a session may be idle: a day. */
export const mcpSessionIdleMillis = 24 * 60 * 60 * 1000

/** How many sessions a credential may have. One more ends the one that was idle for longest. */
export const maxMcpSessions = 200

/** How many server-initiated messages are kept for a client that was away; each for an hour at the most. */
export const maxMcpMessages = 1000

/** How many resources a session may be subscribed to; and so many one listening request of 2026-07-28 may name. */
export const maxMcpSubscriptions = 100

/** How long a person has to answer what a call asks them. */
export const mcpAnswerMinutes = 10

export const maxSubscribedUriLength = 500

/** The kind and the id of a credential, by which what depends on it is found. */
export const credentialOf = ({ apiKeyId, grant }: Pick<Principal, "apiKeyId" | "grant">): string =>
  apiKeyId !== undefined ? `api-key:${apiKeyId}` : grant !== undefined ? `grant:${grant.id}` : "operator"

/** A session belongs to the very credential that began it: a colleague does not find it, nor the same user by another key. */
export const mcpSessionOwner = (principal: Principal): McpSessionOwner => ({
  organizationId: principal.organizationId,
  userId: principal.userId,
  credential: credentialOf(principal)
})

/** A key for a request's id, which may be of any length; 1 and "1" are two ids. */
export const mcpRequestKey = (id: string | number): string =>
  encodeHexLowerCase(sha256(new TextEncoder().encode(JSON.stringify(id))))

/** Whether a message of that severity is to be sent where the client asked for `threshold`. */
export const isLogged = (level: LogLevel, threshold: LogLevel): boolean =>
  LogLevel.literals.indexOf(level) >= LogLevel.literals.indexOf(threshold)
