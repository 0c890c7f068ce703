import { Effect } from "effect"
import { Forbidden, Unauthorized } from "../error.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import { UserStore } from "../organization/user-store.ts"

/** Who the person is, as far as the access token's scope opens it (OpenID Connect Core section 5.3). */
export const userinfo = Effect.fn("userinfo")(function*() {
  const { grant, userId } = yield* CurrentPrincipal
  const wrongCredential = { message: "This is no access token.", hint: "Send an access token that was granted the scope openid." }
  if (grant === undefined) return yield* new Unauthorized(wrongCredential)
  if (!grant.scope.includes("openid")) {
    return yield* new Forbidden({ message: "The access token was not granted the scope openid.", hint: "Ask for it at the authorization endpoint." })
  }
  const user = yield* (yield* UserStore).find(userId)
  if (user === undefined) return yield* new Unauthorized(wrongCredential)
  return {
    sub: user.id,
    ...grant.scope.includes("profile") ? { name: user.name } : {},
    // An address is what somebody typed: nobody has had to show yet that mail to it reaches them.
    ...grant.scope.includes("email") ? { email: user.email, email_verified: false } : {}
  }
})
