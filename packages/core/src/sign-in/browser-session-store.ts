import type { Effect } from "effect"
import { Context } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import type { BrowserSessionId, UserId } from "../id.ts"
import type { BrowserSession } from "./browser-session.ts"

/** The sign-ins of people in browsers, on whichever replica. Time is the store's clock alone. */
export class BrowserSessionStore extends Context.Service<BrowserSessionStore, {
  /** Begins a session under the hash of its secret. Of the sessions of a user only the newest `maxSessions` stay. */
  create(session: BrowserSession, hash: SecretHash, maxSessions: number): Effect.Effect<void>
  /** The session by that secret, used now. `undefined` once it has expired, was idle for `idleMillis`, or was ended. */
  use(hash: SecretHash, idleMillis: number): Effect.Effect<BrowserSession | undefined>
  /** Ends one session of a user. Answers whether there was one. */
  end(userId: UserId, id: BrowserSessionId): Effect.Effect<boolean>
  /** Ends all sessions of a user but the one to keep, and answers how many. */
  endAll(userId: UserId, keep?: BrowserSessionId): Effect.Effect<number>
  /** The sessions of a user that have not expired, newest first. */
  list(userId: UserId): Effect.Effect<ReadonlyArray<BrowserSession>>
}>()("@coppice/core/sign-in/BrowserSessionStore") {}
