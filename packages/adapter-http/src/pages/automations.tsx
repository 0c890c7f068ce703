import { type Automation, AutomationStatus, CurrentPrincipal, listAutomations, listProjects, type PageRequest, type Project, type Run } from "@coppice/core"
import { ProjectStore, RunStore } from "@coppice/core/ports"
import { Effect, Schema } from "effect"
import type { Call } from "../pipeline/call.ts"
import { AddProject } from "./add-project.tsx"
import { defineView } from "./define-page.ts"
import { Inert } from "./inert.tsx"
import { noticeOf } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { Pager, partOf } from "./pager.tsx"
import { RunStatusTag, runPath } from "./run-table.tsx"
import { Time } from "./time.tsx"

const pageSize = 25

/** An automation with what the list says of it beyond its record. */
interface Entry {
  readonly automation: Automation
  readonly project: Project | undefined
  readonly lastRun: Run | undefined
}

export const AutomationStatusTag = ({ automation: { status } }: { readonly automation: Automation }) =>
  status === "active" ? <span class="tag good">Active</span> : <span class="tag warn">Paused</span>

const Row = ({ automation, lastRun, project }: Entry) => (
  <tr>
    <td class="first"><a href={`/automations/${automation.id}`}><Inert text={automation.name} /></a></td>
    <td data-label="State"><AutomationStatusTag automation={automation} /></td>
    <td data-label="Project"><Inert text={project?.name ?? "–"} /></td>
    <td data-label="Agent"><Inert text={automation.agent} /></td>
    <td data-label="Webhook" class="nowrap">{automation.webhookTokenAt === undefined ? <span class="soft">No token</span> : "Has a token"}</td>
    <td data-label="Last run" class="nowrap">
      {lastRun === undefined
        ? <span class="soft">None yet</span>
        : <a class="plain" href={runPath(lastRun)}><RunStatusTag run={lastRun} /> <Time at={lastRun.createdAt} /></a>}
    </td>
  </tr>
)

const List = ({ entries }: { readonly entries: ReadonlyArray<Entry> }) => (
  <div class="card">
    <div class="table">
      <table class="stack data">
        <thead><tr><th>Name</th><th>State</th><th>Project</th><th>Agent</th><th>Webhook</th><th>Last run</th></tr></thead>
        <tbody>{entries.map((entry) => <Row {...entry} />)}</tbody>
      </table>
    </div>
  </div>
)

const filters = [
  { status: undefined, text: "All", path: "/automations" },
  { status: "active", text: "Active", path: "/automations?status=active" },
  { status: "paused", text: "Paused", path: "/automations?status=paused" }
] as const

const Bar = ({ status }: { readonly status: AutomationStatus | undefined }) => (
  <div class="bar">
    <nav class="filters" aria-label="State">
      {filters.map((filter) => (
        <a href={filter.path} aria-current={filter.status === status ? "true" : undefined}>{filter.text}</a>
      ))}
    </nav>
    <a class="button" href="/automations/new">New automation</a>
  </div>
)

const NoneYet = () => (
  <div class="card empty">
    <p>There is no automation yet.</p>
    <p>An automation is a prompt that a coding agent gets on a project, each time a webhook or a person asks for it.</p>
    <p><a class="button" href="/automations/new">New automation</a></p>
  </div>
)

const NoneSuch = ({ status }: { readonly status: AutomationStatus }) => (
  <div class="card empty"><p>No automation is {status}.</p></div>
)

const isStatus = Schema.is(AutomationStatus)

/** The page that was asked for, with each automation's project and its latest run. */
const entriesOf = Effect.fnUntraced(function*(status: AutomationStatus | undefined, part: PageRequest) {
  const { organizationId } = yield* CurrentPrincipal
  const [projects, runs] = [yield* ProjectStore, yield* RunStore]
  const page = yield* listAutomations(status === undefined ? {} : { status }, part)
  const known = new Map<string, Project | undefined>()
  for (const id of new Set(page.items.map(({ projectId }) => projectId))) known.set(id, yield* projects.get(organizationId, id))
  const entries = yield* Effect.forEach(page.items, (automation) =>
    Effect.map(runs.list(organizationId, { automationId: automation.id }, { limit: 1 }), ({ items: [lastRun] }): Entry => ({
      automation,
      project: known.get(automation.projectId),
      lastRun
    })), { concurrency: 4 })
  return { entries, nextCursor: page.nextCursor }
})

const view = Effect.fnUntraced(function*(call: Call) {
  const { searchParams } = new URL(call.request.url)
  const given = searchParams.get("status")
  const status = isStatus(given) ? given : undefined
  const part = partOf(call, pageSize)
  const { entries, nextCursor } = yield* entriesOf(status, part)
  const options = { title: "Automations", notice: noticeOf(call, { deleted: "The automation is deleted." }) }
  if (entries.length === 0 && status === undefined && part.cursor === undefined) {
    const hasProject = (yield* listProjects({ limit: 1 })).items.length > 0
    return yield* showPage(call, options, hasProject ? <NoneYet /> : <AddProject />)
  }
  return yield* showPage(call, options, (
    <>
      <Bar status={status} />
      {entries.length > 0 ? <List entries={entries} /> : status === undefined ? <p>There are no more.</p> : <NoneSuch status={status} />}
      <Pager next={nextCursor} label="More automations" />
    </>
  ))
})

export const automationsPages = [
  defineView({ path: "/automations", security: "browser", summary: "The automations", handle: view })
]
