import { OrganizationId, switchOrganization } from "@coppice/core"
import { Effect, Schema } from "effect"
import { Refused } from "../errors/failure.ts"
import { CurrentPerson } from "../pipeline/browser.ts"
import type { FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { defineForm } from "./define-page.ts"

const isOrganizationId = Schema.is(OrganizationId)

const submit = Effect.fnUntraced(function*({ form }: FormCall) {
  const id = form.get("organizationId")
  if (!isOrganizationId(id)) return yield* new Refused({ code: "INVALID_REQUEST", message: "No organization was chosen." })
  yield* switchOrganization(yield* CurrentPerson, id)
  return seeOther("/")
})

export const organizationPages = [
  defineForm({ path: "/settings/organization", security: "browser", summary: "Switches the organization", handle: submit })
]
