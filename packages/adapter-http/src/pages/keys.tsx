import { type ApiKey, getApiKey, getProject, listApiKeys, now, type ProjectId, revokeApiKey, type Timestamp } from "@coppice/core"
import { DateTime, Effect } from "effect"
import { CurrentPerson } from "../pipeline/browser.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { Confirm } from "./confirm.tsx"
import { defineForm, defineView } from "./define-page.ts"
import { noticeOf } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { Pager, partOf } from "./pager.tsx"
import { nameIn, type People, peopleOf } from "./people.ts"
import { Time } from "./time.tsx"

const stateOf = ({ expiresAt, revokedAt }: ApiKey, at: Timestamp): "active" | "expired" | "revoked" => {
  if (revokedAt !== undefined) return "revoked"
  return expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, at) ? "expired" : "active"
}

const stateTags = { active: "tag good", expired: "tag", revoked: "tag bad" } as const

interface Listed {
  readonly at: Timestamp
  /** Whose the keys are, where all of an organization's are listed. */
  readonly people: People | undefined
  readonly projects: ReadonlyMap<ProjectId, string>
}

const Projects = ({ apiKey: { projectIds }, projects }: { readonly apiKey: ApiKey; readonly projects: Listed["projects"] }) => (
  <span class="under">
    {projectIds === undefined ? "All projects" : projectIds.map((id) => projects.get(id) ?? "a project that is gone").join(", ")}
  </span>
)

const Row = ({ apiKey, at, people, projects }: Listed & { readonly apiKey: ApiKey }) => {
  const state = stateOf(apiKey, at)
  return (
    <tr>
      <th scope="row">
        {apiKey.name}
        {people !== undefined && <span class="under">{nameIn(people, apiKey.userId)}</span>}
      </th>
      <td data-label="Access">{apiKey.access === "read" ? "Read only" : "Full"}<Projects apiKey={apiKey} projects={projects} /></td>
      <td data-label="Created"><Time at={apiKey.createdAt} /></td>
      <td data-label="Last used">{apiKey.lastUsedAt === undefined ? "Never" : <Time at={apiKey.lastUsedAt} />}</td>
      <td data-label="Expires">{apiKey.expiresAt === undefined ? "Never" : <Time at={apiKey.expiresAt} />}</td>
      <td data-label="State"><span class={stateTags[state]}>{state}</span></td>
      <td>
        {state === "active" && <a href={`/settings/keys/${apiKey.id}/revoke`} aria-label={`Revoke ${apiKey.name}`}>Revoke</a>}
      </td>
    </tr>
  )
}

const Keys = ({ keys, listed }: { readonly keys: ReadonlyArray<ApiKey>; readonly listed: Listed }) => (
  <div class="card table">
    <table class="stack">
      <caption class="unseen">API keys, newest first</caption>
      <thead>
        <tr>
          {["Name", "Access", "Created", "Last used", "Expires", "State"].map((title) => <th scope="col">{title}</th>)}
          <th scope="col"><span class="unseen">Revoke</span></th>
        </tr>
      </thead>
      <tbody>{keys.map((apiKey) => <Row apiKey={apiKey} {...listed} />)}</tbody>
    </table>
  </div>
)

const Empty = () => (
  <div class="card empty">
    <p>There are no keys yet.</p>
    <p>A program that cannot ask you in a browser, as a script or a CI job, shows a key to get in.</p>
  </div>
)

const notices = { "key-revoked": "The key is revoked. Programs that still present it are refused." }

/** What the projects that keys are for are called. */
const projectNames = Effect.fnUntraced(function*(keys: ReadonlyArray<ApiKey>) {
  const ids = [...new Set(keys.flatMap(({ projectIds }) => projectIds ?? []))]
  const found = yield* Effect.forEach(ids, (id) =>
    Effect.catchTag(getProject(id), "NotFound", () => Effect.undefined), { concurrency: 8 })
  return new Map(found.flatMap((project) => project === undefined ? [] : [[project.id, project.name]]))
})

const view = Effect.fnUntraced(function*(call: Call) {
  const { active: { member } } = yield* CurrentPerson
  const isAdmin = member.role !== "member"
  const { items, nextCursor } = yield* listApiKeys(partOf(call))
  const listed = {
    at: yield* now,
    people: isAdmin ? yield* peopleOf(items.map(({ userId }) => userId)) : undefined,
    projects: yield* projectNames(items)
  }
  return yield* showPage(call, { title: "API keys", notice: noticeOf(call, notices) }, (
    <>
      <div class="bar">
        <p class="soft">{isAdmin ? "All keys of the organization." : "Your keys."} Each acts for its owner.</p>
        <a class="button" href="/settings/keys/new">New key</a>
      </div>
      {items.length === 0 ? <Empty /> : <Keys keys={items} listed={listed} />}
      <Pager next={nextCursor} label="More keys" />
    </>
  ))
})

const confirm = Effect.fnUntraced(function*(call: Call) {
  const { id, name, userId } = yield* getApiKey(call.params["apiKeyId"] ?? "")
  const { user } = yield* CurrentPerson
  const owner = userId === user.id ? undefined : nameIn(yield* peopleOf([userId]), userId)
  return yield* showPage(call, { title: "Revoke this key?", narrow: true }, (
    <Confirm action={`/settings/keys/${id}/revoke`} does="Revoke the key" back="/settings/keys">
      <p><strong>{name}</strong>{owner !== undefined && `, a key of ${owner},`} stops working at once, also for what a program has just begun with it.</p>
      <p>This cannot be undone.</p>
    </Confirm>
  ))
})

const revoke = Effect.fnUntraced(function*({ params }: FormCall) {
  const { id } = yield* getApiKey(params["apiKeyId"] ?? "")
  yield* revokeApiKey(id)
  return seeOther("/settings/keys?notice=key-revoked")
})

export const keyPages = [
  defineView({ path: "/settings/keys", security: "browser", summary: "API keys", handle: view }),
  defineView({ path: "/settings/keys/:apiKeyId/revoke", security: "browser", summary: "Asks before a key is revoked", handle: confirm }),
  defineForm({ path: "/settings/keys/:apiKeyId/revoke", security: "browser", summary: "Revokes a key", handle: revoke })
]
