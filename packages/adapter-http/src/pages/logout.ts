import { signOut } from "@coppice/core"
import { Effect } from "effect"
import { CurrentVisit } from "../pipeline/browser.ts"
import { clearCookie } from "../pipeline/browser-cookies.ts"
import type { FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { defineForm } from "./define-page.ts"

/** Whoever comes to this browser next is another visitor, too. */
export const forgetBrowser = (base: string): ReadonlyArray<string> => [clearCookie(base, "session"), clearCookie(base, "visit")]

const submit = Effect.fnUntraced(function*({ base }: FormCall) {
  yield* signOut((yield* CurrentVisit).sessionSecret)
  return seeOther("/login?notice=signed-out", forgetBrowser(base))
})

export const logoutPages = [
  defineForm({ path: "/logout", security: "browser", summary: "Signs out", handle: submit })
]
