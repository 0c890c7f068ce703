import { findSignedIn, generateSecret, hashSecret, type Membership, type SecretHash, type SignedIn } from "@coppice/core"
import { Context, Effect } from "effect"
import { readCookie, setCookie } from "./browser-cookies.ts"
import type { Call } from "./call.ts"

/** A browser as it comes by, whoever is in front of it. */
export interface Visit {
  /** What tells it from others: authorization requests are bound to it. */
  readonly hash: SecretHash
  /** What forms for anybody derive their token from. */
  readonly secret: string
  /** The secret of the sign-in, if there is one; forms for who is signed in derive their token from it. */
  readonly sessionSecret: string | undefined
  readonly signedIn: SignedIn | undefined
  /** Cookies that go out with the answer, whatever it is. */
  readonly cookies: ReadonlyArray<string>
}

/** The browser of the call that is being served. */
export class CurrentVisit extends Context.Service<CurrentVisit, Visit>()("@coppice/adapter-http/pipeline/CurrentVisit") {}

/** Who is signed in, as a member of the organization that they are working in. */
export interface Person extends SignedIn {
  readonly active: Membership
}

/** Who is signed in, in the call that is being served. */
export class CurrentPerson extends Context.Service<CurrentPerson, Person>()("@coppice/adapter-http/pipeline/CurrentPerson") {}

/** Which browser this is, and who is signed in there. One that was never here gets a cookie to be known by. */
export const recognizeBrowser = Effect.fnUntraced(function*(call: Call) {
  const known = readCookie(call, "visit")
  const hash = known === undefined ? undefined : hashSecret("browserVisit", known)
  const secret = known === undefined || hash === undefined ? yield* generateSecret("browserVisit") : known
  const session = readCookie(call, "session")
  const signedIn = yield* findSignedIn(session)
  return {
    secret,
    hash: hash ?? hashSecret("browserVisit", secret)!,
    sessionSecret: signedIn === undefined ? undefined : session,
    signedIn,
    cookies: hash === undefined ? [setCookie(call.base, "visit", secret)] : []
  } satisfies Visit
})
