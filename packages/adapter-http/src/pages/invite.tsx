import { CurrentPrincipal, Forbidden, invitationDays, inviteMember, revokeInvitation } from "@coppice/core"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import { CurrentPerson } from "../pipeline/browser.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { Choices } from "./choice.tsx"
import { defineForm, defineView } from "./define-page.ts"
import { Field } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { emailFault, type Faults, hasFaults, line } from "./form-fields.ts"
import { showPage } from "./page.tsx"
import { assignableRoles, roleOf } from "./role-words.ts"
import { ShownOnce } from "./shown-once.tsx"

const path = "/settings/members/invite"

interface Draft {
  readonly email: string
  readonly role: string
}

const Invite = ({ draft, faults }: { readonly draft: Draft; readonly faults: Faults }) => (
  <div class="card">
    <Form action={path} class="short">
      <Field name="email" label="E-mail" type="email" required autofocus={!hasFaults(faults)} autocomplete="off" maxLength={254} value={draft.email} hint="Nothing is sent there: you get a link to pass on." fault={faults["email"]} />
      <Choices name="role" legend="Role" type="radio" fault={faults["role"]} options={assignableRoles.map((each) => ({ ...each, chosen: each.value === draft.role }))} />
      <div class="row">
        <Button>Make the link</Button>
        <a class="button plain" href="/settings/members">Cancel</a>
      </div>
    </Form>
  </div>
)

const onlyAdmins = new Forbidden({ message: "Only an admin may invite people." })

const show = Effect.fnUntraced(function*(call: Call, draft: Draft, faults: Faults = {}) {
  if ((yield* CurrentPrincipal).role === "member") return yield* onlyAdmins
  const { active } = yield* CurrentPerson
  const status = hasFaults(faults) ? statusOf.INVALID_REQUEST : 200
  return yield* showPage(call, { title: `Invite to ${active.organization.name}`, status }, <Invite draft={draft} faults={faults} />)
})

const submit = Effect.fnUntraced(function*(call: FormCall) {
  const draft = { email: line(call.form, "email"), role: call.form.get("role") ?? "" }
  const role = roleOf(draft.role)
  const faults = { email: emailFault(draft.email), role: role === undefined ? "Choose a role." : undefined }
  if (hasFaults(faults) || role === undefined) return yield* show(call, draft, faults)
  return yield* inviteMember({ email: draft.email, role }).pipe(
    Effect.flatMap(({ invitation, secret }) =>
      showPage(call, { title: "Pass on the link", notice: { kind: "done", text: `${invitation.email} is invited.` } }, (
        <div class="card">
          <ShownOnce
            name="link"
            label={`Link for ${invitation.email}`}
            value={`${call.base}/join?token=${secret}`}
            hint={`It works once, for ${invitationDays} days, and is shown this once. A link that was made for the address before works no more.`}
          />
          <p>Whoever opens it first joins as {invitation.role === "admin" ? "an admin" : "a member"}, so send it to nobody else.</p>
          <p><a class="button" href="/settings/members">I have it: go on</a></p>
        </div>
      ))),
    Effect.catchTag("Conflict", ({ message }) => show(call, draft, { email: message }))
  )
})

const revoke = Effect.fnUntraced(function*({ params }: FormCall) {
  yield* revokeInvitation(params["invitationId"] ?? "")
  return seeOther("/settings/members?notice=invitation-revoked")
})

export const invitePages = [
  defineView({ path, security: "browser", summary: "A form for an invitation", handle: (call) => show(call, { email: "", role: "member" }) }),
  defineForm({ path, security: "browser", summary: "Invites somebody, and shows the link once", handle: submit }),
  defineForm({
    path: "/settings/members/invitations/:invitationId/revoke",
    security: "browser",
    summary: "Takes an invitation back",
    handle: revoke
  })
]
