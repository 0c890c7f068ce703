import { DateTime, Effect } from "effect"
import { CallerAddress } from "../audit/audit-entry.ts"
import { hashSecret, issueSecret } from "../credential/secret.ts"
import { BrowserSessionId, newId } from "../id.ts"
import { OrganizationStore } from "../organization/organization-store.ts"
import type { Member, Organization, User } from "../organization/organization.ts"
import { UserStore } from "../organization/user-store.ts"
import { now } from "../timestamp.ts"
import { BrowserSessionStore } from "./browser-session-store.ts"
import type { BrowserSession } from "./browser-session.ts"

const dayMillis = 24 * 60 * 60 * 1000

/** For how long a person stays signed in, and in how many browsers at once. */
export const browserSessionLimits = { idleMillis: 14 * dayMillis, maxMillis: 30 * dayMillis, perUser: 20 } as const

/** Who is signed in in a browser, and where they are working. */
export interface SignedIn {
  readonly session: BrowserSession
  readonly user: User
  /** All of the user's memberships, oldest first. */
  readonly memberships: ReadonlyArray<Membership>
  /** The one that they are working in; nothing for who is a member nowhere. */
  readonly active: Membership | undefined
}
export interface Membership {
  readonly organization: Organization
  readonly member: Member
}

/** The browser that somebody signs in with. */
export interface SigningBrowser {
  readonly userAgent: string
  /** The secret of the sign-in that was there before, of whomever: it ends. */
  readonly previous?: string | undefined
}

const maxUserAgent = 200

/** Begins a sign-in under a new secret, so that nobody who knew the one before is in (session fixation). */
export const beginBrowserSession = Effect.fn("beginBrowserSession")(function*(user: User, browser: SigningBrowser) {
  const sessions = yield* BrowserSessionStore
  yield* endBrowserSession(browser.previous)
  const at = yield* now
  const { hash, secret } = yield* issueSecret("browserSession")
  const session = {
    id: yield* newId(BrowserSessionId),
    userId: user.id,
    address: yield* CallerAddress,
    userAgent: browser.userAgent.replace(/[^\x20-\x7e]/g, "?").slice(0, maxUserAgent),
    authenticatedAt: at,
    expiresAt: DateTime.add(at, { milliseconds: browserSessionLimits.maxMillis }),
    createdAt: at,
    updatedAt: at
  }
  yield* sessions.create(session, hash, browserSessionLimits.perUser)
  return { session, secret }
})

/** The session by that secret, if it lasts; it counts as used. */
const sessionBy = Effect.fnUntraced(function*(secret: string | undefined) {
  const hash = secret === undefined ? undefined : hashSecret("browserSession", secret)
  return hash === undefined ? undefined : yield* (yield* BrowserSessionStore).use(hash, browserSessionLimits.idleMillis)
})

/** Ends the session by that secret, and answers it, if there was one. */
export const endBrowserSession = Effect.fn("endBrowserSession")(function*(secret: string | undefined) {
  const session = yield* sessionBy(secret)
  if (session !== undefined) yield* (yield* BrowserSessionStore).end(session.userId, session.id)
  return session
})

/**
 * Who is signed in by that secret. Who is no longer a member of the organization that they were working in is moved to the
 * oldest one that they are a member of.
 */
export const findSignedIn = Effect.fn("findSignedIn")(function*(secret: string | undefined) {
  const session = yield* sessionBy(secret)
  const users = yield* UserStore
  const user = session === undefined ? undefined : yield* users.find(session.userId)
  if (session === undefined || user === undefined) return undefined
  const memberships = yield* (yield* OrganizationStore).ofUser(user.id)
  const active = memberships.find(({ organization }) => organization.id === user.activeOrganizationId) ?? memberships[0]
  if (active !== undefined && active.organization.id !== user.activeOrganizationId) {
    yield* users.setActiveOrganization(user.id, active.organization.id, yield* now)
  }
  return { session, user, memberships, active } satisfies SignedIn
})
