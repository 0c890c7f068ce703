import { Effect } from "effect"
import { Unauthorized } from "../error.ts"
import type { User } from "../organization/organization.ts"
import { UserStore } from "../organization/user-store.ts"
import type { SigningBrowser } from "./browser-session-usecases.ts"
import type { Identity } from "./identity-provider.ts"
import { joinAsNewUser, openInvitation } from "./invitation-usecases.ts"
import { signInAs } from "./sign-in-usecases.ts"

/** Another service may give names that no user has. */
const nameFrom = ({ email, name }: Identity): string => {
  const line = (name ?? "").replace(/[\p{Cc}\p{Z}]+/gu, " ").replace(/\p{C}+/gu, "").trim().slice(0, 100).trim()
  return line === "" ? email.slice(0, email.indexOf("@")).slice(0, 100) : line
}

const unknown = (email: string) =>
  new Unauthorized({
    message: `Nobody here has the address ${email}.`,
    hint: "Ask for an invitation, and open its link first."
  })

/** The user of that address, or a new one, if the invitation that they came by is for it. */
const userFor = Effect.fnUntraced(function*(identity: Identity, invitationSecret: string | undefined) {
  const email = identity.email.toLowerCase()
  const user: User | undefined = yield* (yield* UserStore).byEmail(email)
  if (user !== undefined) return { user, joined: false }
  if (invitationSecret === undefined) return yield* unknown(email)
  const open = yield* openInvitation(invitationSecret)
  if (open.invitation.email !== email) return yield* unknown(email)
  return { user: yield* joinAsNewUser(open, { name: nameFrom(identity) }), joined: true }
})

/**
 * Signs in whom another service vouches for: a user by that address, or who comes by an open invitation to it. An address that
 * the service has not made sure of is worth nothing: anybody may have typed it there.
 */
export const signInByIdentity = Effect.fn("signInByIdentity")(function*(
  identity: Identity,
  browser: SigningBrowser,
  invitationSecret?: string
) {
  if (!identity.emailVerified) {
    return yield* new Unauthorized({
      message: "The other service has not verified your e-mail address.",
      hint: "Verify it there, then try again."
    })
  }
  const { joined, user } = yield* userFor(identity, invitationSecret)
  return { ...yield* signInAs(user, browser), joined }
})
