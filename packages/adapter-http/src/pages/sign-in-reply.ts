import { browserSessionLimits, signInAs, type SigningBrowser, type User } from "@coppice/core"
import { Effect } from "effect"
import { CurrentVisit } from "../pipeline/browser.ts"
import { setCookie } from "../pipeline/browser-cookies.ts"
import type { Call } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"

/** The browser of this call, as one that somebody signs in with: a sign-in that was there before ends. */
export const signingBrowser = Effect.fnUntraced(function*({ request }: Call) {
  const { sessionSecret } = yield* CurrentVisit
  const userAgent = request.headers.get("user-agent") ?? "Unknown browser"
  return { userAgent, previous: sessionSecret } satisfies SigningBrowser
})

/** Goes on with a cookie that lasts for as long as the sign-in does. */
export const enter = ({ base }: Call, secret: string, path = "/") =>
  seeOther(path, [setCookie(base, "session", secret, browserSessionLimits.maxMillis / 1000)])

/** Signs in a user who has proved who they are by other means than a password, and goes on. */
export const enterAs = Effect.fnUntraced(function*(call: Call, user: User, path?: string) {
  const { secret } = yield* signInAs(user, yield* signingBrowser(call))
  return enter(call, secret, path)
})
