import { getGrant, type Grant, isMixedScript, listGrants, redirectHost, revokeGrant, shownClientName } from "@coppice/core"
import { Effect } from "effect"
import { CurrentPerson, type Person } from "../pipeline/browser.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { Confirm } from "./confirm.tsx"
import { defineForm, defineView } from "./define-page.ts"
import { noticeOf } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { Pager, partOf } from "./pager.tsx"
import { nameIn, type People, peopleOf } from "./people.ts"
import { scopeSentence } from "./scope-words.ts"
import { Time } from "./time.tsx"

type NamedGrant = Grant & { readonly clientName?: string }

const path = "/settings/connections"
const everybodys = `${path}?of=everybody`

/** What a program calls itself, as it may be shown: a line of text that nothing in the page hangs on. */
const nameOf = ({ clientName }: NamedGrant): string => shownClientName(clientName) ?? "A program without a name"

/** A program that connected by itself can take any name; only where it sends people is certain. A service client was named by an admin. */
const Program = ({ grant }: { readonly grant: NamedGrant }) => (
  <>
    <bdi>{nameOf(grant)}</bdi>{" "}
    {grant.redirectUri === undefined ? <span class="tag good">service client</span> : <span class="tag warn">unverified</span>}
    {isMixedScript(nameOf(grant)) && <> <span class="tag bad">mixed alphabets</span></>}
    {grant.redirectUri !== undefined && <span class="under">sends you to <bdi>{redirectHost(grant.redirectUri)}</bdi></span>}
  </>
)

const Row = ({ grant, people }: { readonly grant: NamedGrant; readonly people: People | undefined }) => (
  <tr>
    <th scope="row"><Program grant={grant} /></th>
    {people !== undefined && <td data-label="Allowed by">{nameIn(people, grant.userId)}</td>}
    <td data-label="Access" class="text">{grant.redirectUri === undefined ? "May do all that a member may." : scopeSentence(grant.scope)}</td>
    <td data-label="Allowed"><Time at={grant.createdAt} /></td>
    <td data-label="Last used">{grant.lastUsedAt === undefined ? "Never" : <Time at={grant.lastUsedAt} />}</td>
    <td data-label="Ends"><Time at={grant.expiresAt} /></td>
    <td><a href={`${path}/${grant.id}/revoke`} aria-label={`Revoke ${nameOf(grant)}`}>Revoke</a></td>
  </tr>
)

const Connections = ({ grants, people }: { readonly grants: ReadonlyArray<NamedGrant>; readonly people: People | undefined }) => (
  <div class="card table">
    <table class="stack">
      <caption class="unseen">Programs that are connected, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Program</th>
          {people !== undefined && <th scope="col">Allowed by</th>}
          {["Access", "Allowed", "Last used", "Ends"].map((title) => <th scope="col">{title}</th>)}
          <th scope="col"><span class="unseen">Revoke</span></th>
        </tr>
      </thead>
      <tbody>{grants.map((grant) => <Row grant={grant} people={people} />)}</tbody>
    </table>
  </div>
)

const Empty = ({ base }: { readonly base: string }) => (
  <div class="card empty">
    <p>No program is connected.</p>
    <p>Add the MCP server <code>{base}/mcp</code> to an agent. It sends you here to allow it, and is listed from then on.</p>
  </div>
)

const Whose = ({ all }: { readonly all: boolean }) => (
  <nav class="tabs" aria-label="Whose connections">
    <a href={path} aria-current={all ? undefined : "page"}>Yours</a>
    <a href={everybodys} aria-current={all ? "page" : undefined}>Everybody’s</a>
  </nav>
)

const notices = { "connection-revoked": "The connection is revoked. The program is refused from now on, until somebody allows it anew." }

const isAdmin = ({ active: { member } }: Person): boolean => member.role !== "member"

const view = Effect.fnUntraced(function*(call: Call) {
  const person = yield* CurrentPerson
  const all = new URL(call.request.url).searchParams.get("of") === "everybody"
  const { items, nextCursor } = yield* listGrants(partOf(call), { everybodys: all })
  const people = all ? yield* peopleOf(items.map(({ userId }) => userId)) : undefined
  return yield* showPage(call, { title: "Connections", notice: noticeOf(call, notices) }, (
    <>
      <p class="soft">Programs that were allowed to act for {all ? "members of" : "you in"} {person.active.organization.name}.</p>
      {isAdmin(person) && <Whose all={all} />}
      {items.length === 0 ? <Empty base={call.base} /> : <Connections grants={items} people={people} />}
      <Pager next={nextCursor} label="More connections" />
    </>
  ))
})

const confirm = Effect.fnUntraced(function*(call: Call) {
  const { user } = yield* CurrentPerson
  const grant: NamedGrant = yield* getGrant(call.params["grantId"] ?? "")
  const isOwn = grant.userId === user.id
  const owner = nameIn(yield* peopleOf([grant.userId]), grant.userId)
  return yield* showPage(call, { title: "Revoke this connection?", narrow: true }, (
    <Confirm action={`${path}/${grant.id}/revoke`} does="Revoke access" back={isOwn ? path : everybodys}>
      <p class="client"><Program grant={grant} /></p>
      <p>It can act for {isOwn ? "you" : owner} no more, at once: its tokens end, and so does what it has open.</p>
      <p>This cannot be undone. To use the program again, {isOwn ? "you" : "they"} would have to allow it anew.</p>
    </Confirm>
  ))
})

const revoke = Effect.fnUntraced(function*({ params }: FormCall) {
  const { user } = yield* CurrentPerson
  const { userId } = yield* revokeGrant(params["grantId"] ?? "")
  return seeOther(userId === user.id ? `${path}?notice=connection-revoked` : `${everybodys}&notice=connection-revoked`)
})

export const connectionPages = [
  defineView({ path, security: "browser", summary: "Programs that may act for somebody", handle: view }),
  defineView({ path: `${path}/:grantId/revoke`, security: "browser", summary: "Asks before a program is refused", handle: confirm }),
  defineForm({ path: `${path}/:grantId/revoke`, security: "browser", summary: "Ends what a program may do", handle: revoke })
]
