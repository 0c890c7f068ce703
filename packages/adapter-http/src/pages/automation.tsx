import {
  type Automation,
  getAutomation,
  hasEnded,
  listRuns,
  listWebhookRefusals,
  now,
  type Run,
  type Timestamp,
  type WebhookRefusal
} from "@coppice/core"
import { Effect } from "effect"
import type { Call } from "../pipeline/call.ts"
import { AutomationFacts, referredTo } from "./automation-facts.tsx"
import { defineView } from "./define-page.ts"
import { Inert } from "./inert.tsx"
import { inertLine } from "./inert-text.ts"
import { noticeOf, type NoticeText } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { partOf } from "./pager.tsx"
import { RunTable } from "./run-table.tsx"
import { Time } from "./time.tsx"
import { NewToken, WebhookCard } from "./webhook-card.tsx"

const pageSize = 20

/** How often a page that shows something under way looks again, with script. */
const refreshSeconds = 3

interface RunsProps {
  readonly automation: Automation
  readonly runs: ReadonlyArray<Run>
  readonly now: Timestamp
  readonly nextCursor: string | undefined
}

const Runs = ({ automation: { id }, nextCursor, now, runs }: RunsProps) => (
  <section class="card" id="runs" data-live data-refresh={runs.some(({ status }) => !hasEnded(status)) ? refreshSeconds : undefined}>
    <div class="bar">
      <h2>Runs</h2>
      {/* With a fragment a browser would only scroll. */}
      <a href={`/automations/${id}`}>Refresh</a>
    </div>
    {runs.length === 0 ? <p class="soft">There is no run yet. Start one with Run now, or send the webhook.</p> : <RunTable runs={runs} now={now} />}
    {nextCursor !== undefined && <p><a href={`/automations/${id}?cursor=${encodeURIComponent(nextCursor)}#runs`}>Older runs</a></p>}
  </section>
)

const Refusals = ({ refusals }: { readonly refusals: ReadonlyArray<WebhookRefusal> }) => (
  <section class="card" id="refused">
    <h2>Refused deliveries</h2>
    <p class="hint">Deliveries that had the right token and started no run. Those without it are refused too, and not counted here.</p>
    {refusals.length === 0 ? <p class="soft">None so far.</p> : (
      <div class="table">
        <table class="stack data">
          <thead><tr><th>Why</th><th>How often</th><th>Last</th></tr></thead>
          <tbody>
            {refusals.map(({ count, lastAt, message }) => (
              <tr>
                <td class="first"><Inert text={message} /></td>
                <td data-label="How often">{count}</td>
                <td data-label="Last"><Time at={lastAt} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const notices = {
  created: "The automation is created. Generate a token below, so that a webhook can start it.",
  changed: "The changes are saved. Runs that were taken up already keep what they started with.",
  paused: "The automation is paused. What is queued or running goes on.",
  resumed: "The automation is active again."
}

/** What the page shows beside the automation as it is. */
export interface AutomationView {
  readonly notice?: NoticeText
  readonly status?: number
  /** A token that was just made, and whether there was one before. */
  readonly made?: { readonly token: string; readonly replaces: boolean }
  /** What was sent for a run, and what was wrong with it. */
  readonly payload?: string
  readonly fault?: string
}

/** The automation that an address names. */
export const automationOf = ({ params }: Call) => getAutomation(params["automationId"] ?? "")

export const showAutomation = Effect.fnUntraced(function*(call: Call, shown: AutomationView = {}) {
  const automation = yield* automationOf(call)
  const { fault, notice = noticeOf(call, notices), made, payload, status = 200 } = shown
  const runs = yield* listRuns({ automationId: automation.id }, partOf(call, pageSize))
  const refusals = yield* listWebhookRefusals(automation.id)
  return yield* showPage(call, { title: inertLine(automation.name), status, notice, live: true }, (
    <>
      {made !== undefined && <NewToken automation={automation} base={call.base} {...made} />}
      <AutomationFacts automation={automation} {...yield* referredTo(automation)} payload={payload} fault={fault} />
      <WebhookCard automation={automation} base={call.base} />
      <Runs automation={automation} runs={runs.items} nextCursor={runs.nextCursor} now={yield* now} />
      <Refusals refusals={refusals} />
    </>
  ))
})

export const automationPages = [
  defineView({ path: "/automations/:automationId", security: "browser", summary: "An automation", handle: (call) => showAutomation(call) })
]
