import { Schema } from "effect"
import { BrowserSessionId, UserId } from "../id.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

/** A person who is signed in in a browser. The cookie holds its secret, of which only the hash is kept. */
export const BrowserSession = Schema.Struct({
  id: BrowserSessionId,
  userId: UserId,
  address: Schema.String.annotate({ description: "From where it was begun" }),
  userAgent: Schema.String.annotate({ description: "What the browser called itself then, at most 200 characters" }),
  authenticatedAt: Timestamp.annotate({ description: "When the person proved who they are" }),
  expiresAt: Timestamp.annotate({ description: "When it ends, used or not" }),
  ...recordTimes
}).annotate({ description: "updatedAt is when it was last used, to the minute" })
export type BrowserSession = typeof BrowserSession.Type
