import { type Invitation, isServiceMember, listInvitations, listMembers, listServiceClients, type Member, type OAuthClient } from "@coppice/core"
import { Effect } from "effect"
import { CurrentPerson, type Person } from "../pipeline/browser.ts"
import type { Call } from "../pipeline/call.ts"
import { defineView } from "./define-page.ts"
import { Button, Form } from "./form.tsx"
import { noticeOf } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { Pager, partOf } from "./pager.tsx"
import { nameIn, type People, peopleOf } from "./people.ts"
import { Time } from "./time.tsx"

/** What can be done about a member: an admin manages others, anybody but the owner can leave. */
const Ways = ({ isAdmin, isYou, member }: { readonly isAdmin: boolean; readonly isYou: boolean; readonly member: Member }) => {
  if (member.role === "owner") return null
  if (isYou) return <a href={`/settings/members/${member.userId}/remove`}>Leave</a>
  return isAdmin ? <a href={`/settings/members/${member.userId}`} aria-label={`Manage ${member.name}`}>Manage</a> : null
}

const People = ({ members, person }: { readonly members: ReadonlyArray<Member>; readonly person: Person }) => (
  <div class="card table">
    <table class="stack">
      <caption class="unseen">Members, newest first</caption>
      <thead>
        <tr>
          {["Name", "E-mail", "Role", "Joined"].map((title) => <th scope="col">{title}</th>)}
          <th scope="col"><span class="unseen">Manage</span></th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <tr>
            <th scope="row">{member.name} {member.userId === person.user.id && <span class="tag good">You</span>}</th>
            <td data-label="E-mail" class="text">{member.email}</td>
            <td data-label="Role"><span class="tag">{member.role}</span></td>
            <td data-label="Joined"><Time at={member.createdAt} /></td>
            <td><Ways isAdmin={person.active.member.role !== "member"} isYou={member.userId === person.user.id} member={member} /></td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Invitations = ({ invitations, people }: { readonly invitations: ReadonlyArray<Invitation>; readonly people: People }) => (
  <section class="card" aria-labelledby="invitations">
    <div class="bar">
      <h2 id="invitations">Invitations</h2>
      <a class="button" href="/settings/members/invite">Invite</a>
    </div>
    {invitations.length === 0 ? <p class="soft">Nobody is invited at present.</p> : (
      <div class="table">
        <table class="stack">
          <caption class="unseen">Invitations that nobody has accepted yet</caption>
          <thead>
            <tr>
              {["E-mail", "Role", "Invited by", "Ends"].map((title) => <th scope="col">{title}</th>)}
              <th scope="col"><span class="unseen">Revoke</span></th>
            </tr>
          </thead>
          <tbody>
            {invitations.map(({ email, expiresAt, id, invitedBy, role }) => (
              <tr>
                <th scope="row">{email}</th>
                <td data-label="Role"><span class="tag">{role}</span></td>
                <td data-label="Invited by">{nameIn(people, invitedBy)}</td>
                <td data-label="Ends"><Time at={expiresAt} /></td>
                <td>
                  <Form action={`/settings/members/invitations/${id}/revoke`}>
                    <Button kind="quiet" label={`Revoke the invitation of ${email}`}>Revoke</Button>
                  </Form>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const ServiceClients = ({ clients }: { readonly clients: ReadonlyArray<OAuthClient> }) => (
  <section class="card" aria-labelledby="service-clients">
    <div class="bar">
      <h2 id="service-clients">Service clients</h2>
      <a class="button plain" href="/settings/members/service-clients/new">New service client</a>
    </div>
    <p class="soft">Programs that act for nobody but themselves, with the rights of a member.</p>
    {clients.length > 0 && (
      <div class="table">
        <table class="stack">
          <caption class="unseen">Service clients, newest first</caption>
          <thead>
            <tr>
              {["Name", "Client id", "Created"].map((title) => <th scope="col">{title}</th>)}
              <th scope="col"><span class="unseen">Manage</span></th>
            </tr>
          </thead>
          <tbody>
            {clients.map(({ createdAt, id, name }) => (
              <tr>
                <th scope="row">{name ?? id}</th>
                <td data-label="Client id" class="text"><code>{id}</code></td>
                <td data-label="Created"><Time at={createdAt} /></td>
                <td><a href={`/settings/members/service-clients/${id}`} aria-label={`Manage ${name ?? id}`}>Manage</a></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const notices = {
  "role-changed": "The role is changed.",
  "member-removed": "The member is removed. Their keys and connections have ended.",
  "invitation-revoked": "The invitation is taken back. Its link works no more.",
  "service-client-removed": "The service client is removed. Its tokens have ended."
}

const all = { limit: 100 }

/** What only admins see of it. */
const forAdmins = Effect.gen(function*() {
  const invitations = (yield* listInvitations(all)).items
  const clients = (yield* listServiceClients(all)).items
  const people = yield* peopleOf(invitations.map(({ invitedBy }) => invitedBy))
  return <><Invitations invitations={invitations} people={people} /><ServiceClients clients={clients} /></>
})

const view = Effect.fnUntraced(function*(call: Call) {
  const person = yield* CurrentPerson
  const { items, nextCursor } = yield* listMembers(partOf(call))
  const more = person.active.member.role === "member" ? null : yield* forAdmins
  return yield* showPage(call, { title: "Members", notice: noticeOf(call, notices) }, (
    <>
      <p class="soft">People in {person.active.organization.name}.</p>
      <People members={items.filter((member) => !isServiceMember(member))} person={person} />
      <Pager next={nextCursor} label="More members" />
      {more}
    </>
  ))
})

export const memberListPages = [
  defineView({ path: "/settings/members", security: "browser", summary: "Members, invitations and service clients", handle: view })
]
