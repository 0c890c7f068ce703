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
  elicits: Schema.Boolean.annotate({ description: "Whether its client can have a person fill in a form" }),
  logLevel: LogLevel,
  stream: Schema.Int.annotate({ description: "How many streams for server-initiated messages were opened; the newest gets them" }),
  lastMessage: Schema.Int.annotate({ description: "The number of the last server-initiated message" }),
  expiresAt: Timestamp.annotate({ description: "When it ends if it is not used until then" }),
  ...recordTimes
})
export type McpSession = typeof McpSession.Type

/** A session as it is begun; the rest is the store's. */
export type NewMcpSession = Omit<McpSession, "expiresAt" | "stream" | "lastMessage">

/** A message that the server sends of its own accord, as JSON, by its number in the session. */
export interface McpMessage {
  readonly sequence: number
  readonly json: string
}

/** A resource that a session wants to hear of, and the revision that its client knows of. */
export interface McpSubscription {
  readonly uri: string
  readonly revision: string
}

/** What those hear who listen to a session: that something about it may have changed, or that a request is not wanted any more. */
export type McpSignal = { readonly _tag: "Changed" } | { readonly _tag: "Cancel"; readonly request: string }
