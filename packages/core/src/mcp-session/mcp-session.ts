import { Schema } from "effect"
import { OrganizationId, UserId } from "../id.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

/** 256 random bits in base64url: nobody guesses one, and it is visible ASCII as the header that carries it must be. */
export const McpSessionId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/)).pipe(Schema.brand("McpSessionId"))
export type McpSessionId = typeof McpSessionId.Type

/** The severities of RFC 5424, the mildest first. */
export const LogLevel = Schema.Literals(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])
export type LogLevel = typeof LogLevel.Type

/** Whose session it is. Whoever else presents its id finds nothing. */
export const McpSessionOwner = Schema.Struct({
  organizationId: OrganizationId,
  userId: UserId,
  credential: Schema.String.annotate({ description: "The kind and the id of the credential that began it" })
})
export type McpSessionOwner = typeof McpSessionOwner.Type

/** What an MCP client began with `initialize`, and goes on with until it ends it or leaves it idle. */
export const McpSession = Schema.Struct({
  id: McpSessionId,
  ...McpSessionOwner.fields,
  protocolVersion: Schema.String,
  clientName: Schema.String,
  clientVersion: Schema.String,
  logLevel: LogLevel,
  expiresAt: Timestamp.annotate({ description: "When it ends if it is not used until then" }),
  ...recordTimes
})
export type McpSession = typeof McpSession.Type
