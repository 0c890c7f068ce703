import { sha256 } from "@oslojs/crypto/sha2"
import { encodeHexLowerCase } from "@oslojs/encoding"
import { Data, DateTime, Effect } from "effect"
import { CallerAddress } from "../audit/audit-entry.ts"
import { audit } from "../audit/audit-usecases.ts"
import { Forbidden, InvalidRequest, Unauthorized } from "../error.ts"
import type { ErrorCode } from "../error-code.ts"
import type { BrowserSessionId, OrganizationId } from "../id.ts"
import type { User } from "../organization/organization.ts"
import { UserStore } from "../organization/user-store.ts"
import type { Limit, Usage } from "../rate-limit/rate-limit.ts"
import { RateLimiter } from "../rate-limit/rate-limiter.ts"
import { now } from "../timestamp.ts"
import { BrowserSessionStore } from "./browser-session-store.ts"
import { beginBrowserSession, endBrowserSession, type SignedIn, type SigningBrowser } from "./browser-session-usecases.ts"
import { PasswordHasher } from "./password-hasher.ts"
import { normalizePassword, passwordFault } from "./password-policy.ts"

/** How often a password may be tried: for one account, from wherever; and from one address, for whichever account. */
export const signInLimits = {
  account: { max: 10, windowSeconds: 15 * 60 },
  address: { max: 30, windowSeconds: 15 * 60 }
} as const satisfies Record<string, Limit>

/** Too many attempts came before this one, which was not looked at. */
export class TooManyAttempts extends Data.TaggedError("TooManyAttempts")<{ readonly usage: Usage }> {
  readonly code = "RATE_LIMITED" satisfies ErrorCode
  override readonly message = "That was tried too often."
  readonly hint = "Wait a few minutes, then try again."
}

const count = Effect.fnUntraced(function*(bucket: string, limit: Limit) {
  const usage = yield* (yield* RateLimiter).hit(`sign-in:${bucket}`, limit)
  if (!usage.allowed) return yield* new TooManyAttempts({ usage })
})

/** Counts an attempt to sign in, in whatever way, from the caller's address. */
export const countAttemptHere = Effect.fn("countAttemptHere")(function*() {
  yield* count(`address:${yield* CallerAddress}`, signInLimits.address)
})

/** Counts an attempt at an account. The address first: who guesses much must not use up the attempts of others. */
const countAttempt = Effect.fnUntraced(function*(email: string) {
  yield* countAttemptHere()
  yield* count(`account:${encodeHexLowerCase(sha256(new TextEncoder().encode(email)))}`, signInLimits.account)
})

/** Whether that is the user's password; it takes as long for nobody's. */
const verifyPassword = Effect.fnUntraced(function*(user: User | undefined, password: string) {
  const stored = user === undefined ? undefined : yield* (yield* UserStore).passwordHash(user.id)
  const possible = passwordFault(password) === undefined
  return yield* (yield* PasswordHasher).verify(possible ? stored : undefined, possible ? normalizePassword(password) : "")
})

const subjectOf = ({ email, id }: User) => ({ name: email, id })

const by = (user: User) => ({ organizationId: user.activeOrganizationId, userId: user.id })

/** Signs a person in by e-mail and password. The refusal is the same whatever of the two is wrong. */
export const signIn = Effect.fn("signIn")(function*(input: { readonly email: string; readonly password: string }, browser: SigningBrowser) {
  const email = input.email.trim().toLowerCase().slice(0, 254)
  yield* countAttempt(email)
  const user = yield* (yield* UserStore).byEmail(email)
  if (!(yield* verifyPassword(user, input.password)) || user === undefined) {
    // Nobody waits for this: how long it takes would tell that there is such a user.
    if (user !== undefined) {
      yield* Effect.forkDetach(audit({ organizationId: user.activeOrganizationId }, "user.sign_in_failed", subjectOf(user)))
    }
    return yield* new Unauthorized({ message: "The e-mail address or the password is wrong.", hint: "Try again." })
  }
  return yield* signInAs(user, browser)
})

/** Signs in a user who has proved who they are. */
export const signInAs = Effect.fn("signInAs")(function*(user: User, browser: SigningBrowser) {
  const begun = yield* beginBrowserSession(user, browser)
  yield* audit(by(user), "user.signed_in", subjectOf(user))
  return { ...begun, user }
})

/** Ends the sign-in by that secret. */
export const signOut = Effect.fn("signOut")(function*(secret: string | undefined) {
  const session = yield* endBrowserSession(secret)
  const user = session === undefined ? undefined : yield* (yield* UserStore).find(session.userId)
  if (user !== undefined) yield* audit(by(user), "user.signed_out", subjectOf(user))
})

/** Ends one of a person's sign-ins, in another browser; one that is over already is none to complain about. */
export const signOutSession = Effect.fn("signOutSession")(function*({ user }: SignedIn, id: BrowserSessionId) {
  if (yield* (yield* BrowserSessionStore).end(user.id, id)) yield* audit(by(user), "user.signed_out", subjectOf(user))
})

/** Ends all sign-ins of a person, this one among them unless it is to stay. Answers how many. */
export const signOutEverywhere = Effect.fn("signOutEverywhere")(function*({ user }: SignedIn, keep?: BrowserSessionId) {
  const ended = yield* (yield* BrowserSessionStore).endAll(user.id, keep)
  yield* audit(by(user), "user.signed_out_everywhere", subjectOf(user))
  return ended
})

/** Gives a user a new password. */
export const setPassword = Effect.fn("setPassword")(function*(user: User, password: string) {
  const fault = passwordFault(password)
  if (fault !== undefined) return yield* new InvalidRequest({ message: fault })
  const hash = yield* (yield* PasswordHasher).hash(normalizePassword(password))
  yield* (yield* UserStore).setPasswordHash(user.id, hash, yield* now)
  yield* audit(by(user), "user.password_changed", subjectOf(user))
})

/** How long a sign-in is proof enough to give oneself a first password. */
export const freshMinutes = 10

/**
 * Changes a person's password, who proves by the present one that they are there, and ends their other sign-ins. Who has
 * none yet, because another service vouched for them, proves it by having just signed in.
 */
export const changePassword = Effect.fn("changePassword")(function*(
  { session, user }: SignedIn,
  input: { readonly present: string; readonly next: string }
) {
  const fault = passwordFault(input.next)
  if (fault !== undefined) return yield* new InvalidRequest({ message: fault })
  if ((yield* (yield* UserStore).passwordHash(user.id)) !== undefined) {
    yield* countAttempt(user.email)
    if (!(yield* verifyPassword(user, input.present))) {
      return yield* new Unauthorized({ message: "The present password is wrong.", hint: "Try again." })
    }
  } else if (DateTime.isLessThan(DateTime.add(session.authenticatedAt, { minutes: freshMinutes }), yield* now)) {
    return yield* new Unauthorized({ message: "Sign out and in again first: it was too long ago.", hint: "Then set a password." })
  }
  yield* setPassword(user, input.next)
  yield* (yield* BrowserSessionStore).endAll(user.id, session.id)
})

/** Has a person work in another of their organizations. What they allowed clients before stays where it is. */
export const switchOrganization = Effect.fn("switchOrganization")(function*({ user }: SignedIn, organizationId: OrganizationId) {
  if (yield* (yield* UserStore).setActiveOrganization(user.id, organizationId, yield* now)) return
  return yield* new Forbidden({ message: "You are not a member of that organization.", hint: "Choose one of yours." })
})
