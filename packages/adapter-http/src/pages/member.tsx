import { changeRole, CurrentPrincipal, Forbidden, getMember, isServiceMember, type Member, notFound, removeMember } from "@coppice/core"
import { Effect } from "effect"
import { Refused } from "../errors/failure.ts"
import { CurrentPerson } from "../pipeline/browser.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { Choices } from "./choice.tsx"
import { Confirm } from "./confirm.tsx"
import { defineForm, defineView } from "./define-page.ts"
import { Button, Form } from "./form.tsx"
import { showPage } from "./page.tsx"
import { assignableRoles, roleOf } from "./role-words.ts"

const path = "/settings/members/:userId"

/** The person whom an address names, for who may do something about them: an admin, or themselves. A service client is managed as one. */
const subjectOf = Effect.fnUntraced(function*({ params }: Call) {
  const id = params["userId"] ?? ""
  const { role, userId } = yield* CurrentPrincipal
  const member = yield* getMember(id)
  if (isServiceMember(member)) return yield* notFound("member", id)
  if (role === "member" && member.userId !== userId) return yield* new Forbidden({ message: "Only an admin may change who is a member." })
  return member
})

const Role = ({ member: { role, userId } }: { readonly member: Member }) => (
  <section class="card">
    <Form action={`/settings/members/${userId}/role`}>
      <Choices name="role" legend="Role" type="radio" options={assignableRoles.map((each) => ({ ...each, chosen: each.value === role }))} />
      <Button>Change role</Button>
    </Form>
  </section>
)

const Removal = ({ member: { name, userId } }: { readonly member: Member }) => (
  <section class="card">
    <h2>Remove {name}</h2>
    <p>They can no longer work in this organization. Their keys and connections end.</p>
    <p><a class="button danger" href={`/settings/members/${userId}/remove`}>Remove from the organization</a></p>
  </section>
)

const view = Effect.fnUntraced(function*(call: Call) {
  const { active, user } = yield* CurrentPerson
  const member = yield* subjectOf(call)
  const isChangeable = member.role !== "owner" && member.userId !== user.id
  return yield* showPage(call, { title: member.name }, (
    <>
      <section class="card">
        <dl class="facts">
          <dt>E-mail</dt><dd>{member.email}</dd>
          <dt>Role</dt><dd>{member.role} in {active.organization.name}</dd>
        </dl>
        {member.role === "owner" && <p class="hint">The owner of an organization stays its owner.</p>}
        {member.userId === user.id && <p class="hint">Nobody changes their own role. Ask another admin, or the owner.</p>}
      </section>
      {isChangeable && <><Role member={member} /><Removal member={member} /></>}
      <p><a href="/settings/members">All members</a></p>
    </>
  ))
})

const submitRole = Effect.fnUntraced(function*(call: FormCall) {
  const role = roleOf(call.form.get("role"))
  if (role === undefined) return yield* new Refused({ code: "INVALID_REQUEST", message: "No role was chosen." })
  const { userId } = yield* subjectOf(call)
  yield* changeRole(userId, role)
  return seeOther("/settings/members?notice=role-changed")
})

const Consequences = ({ isYou, member, organization }: { readonly isYou: boolean; readonly member: Member; readonly organization: string }) =>
  isYou
    ? (
      <>
        <p>You leave <strong>{organization}</strong>. All keys that you made here, and all programs that you allowed here, stop working at once.</p>
        <p>To come back, somebody has to invite you.</p>
      </>
    )
    : (
      <>
        <p><strong>{member.name}</strong> ({member.email}) is no longer a member of {organization}. All their keys here, and all programs that they allowed here, stop working at once.</p>
        <p>This cannot be undone: they can be invited again, but keys and connections do not come back.</p>
      </>
    )

const confirm = Effect.fnUntraced(function*(call: Call) {
  const { active: { organization }, user } = yield* CurrentPerson
  const member = yield* subjectOf(call)
  const isYou = member.userId === user.id
  const title = isYou ? "Leave this organization?" : "Remove this member?"
  return yield* showPage(call, { title, narrow: true }, (
    <Confirm
      action={`/settings/members/${member.userId}/remove`}
      does={isYou ? "Leave" : `Remove ${member.name}`}
      back={isYou ? "/settings/members" : `/settings/members/${member.userId}`}
    >
      <Consequences isYou={isYou} member={member} organization={organization.name} />
    </Confirm>
  ))
})

const remove = Effect.fnUntraced(function*(call: FormCall) {
  const { user } = yield* CurrentPerson
  const { userId } = yield* subjectOf(call)
  yield* removeMember(userId)
  return seeOther(userId === user.id ? "/" : "/settings/members?notice=member-removed")
})

export const memberPages = [
  defineView({ path, security: "browser", summary: "One member", handle: view }),
  defineForm({ path: `${path}/role`, security: "browser", summary: "Gives a member another role", handle: submitRole }),
  defineView({ path: `${path}/remove`, security: "browser", summary: "Asks before a member is removed", handle: confirm }),
  defineForm({ path: `${path}/remove`, security: "browser", summary: "Removes a member", handle: remove })
]
