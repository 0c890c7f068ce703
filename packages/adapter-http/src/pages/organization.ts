import { OrganizationId, switchOrganization } from "@coppice/core"
import { Effect, Schema } from "effect"
import { Refused } from "../errors/failure.ts"
import { CurrentPerson } from "../pipeline/browser.ts"
import type { FormCall } from "../pipeline/call.ts"
import { safeReturn } from "../pipeline/return-path.ts"
import { seeOther } from "../reply.ts"
import { defineForm } from "./define-page.ts"

const isOrganizationId = Schema.is(OrganizationId)

/** Back to the decision that somebody is about to make. Any other page may show what is not there in the other organization. */
const backOf = (form: URLSearchParams): string => {
  const back = safeReturn(form.get("return"))
  return back?.startsWith("/consent?") === true ? back : "/"
}

const submit = Effect.fnUntraced(function*({ form }: FormCall) {
  const id = form.get("organizationId")
  if (!isOrganizationId(id)) return yield* new Refused({ code: "INVALID_REQUEST", message: "No organization was chosen." })
  yield* switchOrganization(yield* CurrentPerson, id)
  return seeOther(backOf(form))
})

export const organizationPages = [
  defineForm({ path: "/settings/organization", security: "browser", summary: "Switches the organization", handle: submit })
]
