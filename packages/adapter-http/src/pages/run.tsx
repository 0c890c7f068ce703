import {
  type Automation,
  cancelRun,
  CurrentPrincipal,
  getRun,
  hasEnded,
  listRunEvents,
  notFound,
  now,
  retryRun,
  type Run,
  type RunEvent,
  type Timestamp,
  type Workspace
} from "@coppice/core"
import { RunStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import type { Failure } from "../errors/failure.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { automationOf } from "./automation.tsx"
import { refusalNotice } from "./automation-actions.tsx"
import { referredTo } from "./automation-facts.tsx"
import { defineForm, defineView } from "./define-page.ts"
import { Button, Form } from "./form.tsx"
import { Inert, Passage } from "./inert.tsx"
import { inertLine } from "./inert-text.ts"
import { noticeOf } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { outputOf, RunSteps } from "./run-events.tsx"
import { RunStatusTag, runPath } from "./run-table.tsx"
import { runDuration, runNote, triggerWords } from "./run-words.ts"
import { Time } from "./time.tsx"

/** What a page shows of a payload and of a run's events at the most; the rest is at the machine. */
const maxPayloadBytes = 64 * 1024
const maxEvents = 200

/** How often the page of a run that has not ended looks again, with script. */
const refreshSeconds = 2

interface StateProps {
  readonly run: Run
  readonly workspace: Workspace | undefined
  readonly now: Timestamp
}

const Facts = ({ now, run, workspace }: StateProps) => (
  <dl class="facts dense">
    <dt>Started by</dt><dd>{triggerWords[run.trigger]}, <Time at={run.createdAt} /></dd>
    {run.retryOf !== undefined && <><dt>Again of</dt><dd><a href={runPath({ ...run, id: run.retryOf })}>an earlier run</a></dd></>}
    {run.attempt > 0 && <><dt>Attempt</dt><dd>{run.attempt}</dd></>}
    {run.startedAt !== undefined && <><dt>Began</dt><dd><Time at={run.startedAt} /></dd></>}
    {run.startedAt !== undefined && <><dt>{run.endedAt === undefined ? "So far" : "Took"}</dt><dd>{runDuration(run, now)}</dd></>}
    {workspace !== undefined && <><dt>Workspace</dt><dd><Inert text={workspace.name} /></dd></>}
    {workspace !== undefined && <><dt>Branch</dt><dd><code><Inert text={workspace.branch} /></code></dd></>}
    {run.exitCode !== undefined && <><dt>Exit code</dt><dd>{run.exitCode}</dd></>}
  </dl>
)

const State = ({ now, run, workspace }: StateProps) => {
  const note = runNote(run)
  const ended = hasEnded(run.status)
  return (
    <section class="card" id="state" data-live data-refresh={ended ? undefined : refreshSeconds}>
      <p class="state" role="status"><RunStatusTag run={run} /> {note !== undefined && <bdi>{inertLine(note)}</bdi>}</p>
      <Facts run={run} workspace={workspace} now={now} />
      <div class="row">
        {!ended && run.cancelRequestedAt === undefined && <Form action={`${runPath(run)}/cancel`}><Button kind="danger">Cancel run</Button></Form>}
        {ended && <Form action={`${runPath(run)}/retry`}><Button kind="plain">Run again</Button></Form>}
        {!ended && <a class="button plain" href={runPath(run)}>Refresh</a>}
      </div>
      {ended && <p class="hint">Run again starts a new run with the same payload.</p>}
    </section>
  )
}

const Output = ({ events, run: { id, status } }: { readonly run: Run; readonly events: ReadonlyArray<RunEvent> }) => {
  const output = outputOf(events)
  return (
    <section class="card">
      <h2>Output</h2>
      <Passage
        id="output"
        label="Output"
        text={output.text === "" ? hasEnded(status) ? "It printed nothing." : "Nothing yet." : output.text}
        fromEnd
        live
      />
      {output.isCut || events.length === maxEvents ? <p class="hint">This is the end of it. All that is kept: <code>npm run coppice -- runs logs {id}</code></p> : null}
    </section>
  )
}

const payloadText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.subarray(0, maxPayloadBytes), { stream: true })

const Payload = ({ payload }: { readonly payload: Uint8Array | undefined }) => (
  <section class="card">
    <h2>Payload</h2>
    {payload === undefined ? <p class="soft">It is not kept any more.</p> : (
      <>
        <Passage label="Payload" text={payloadText(payload)} />
        <p class="hint">
          {payload.length > maxPayloadBytes
            ? `The first ${maxPayloadBytes / 1024} KiB of ${payload.length} bytes; the agent gets all of it.`
            : `${payload.length} ${payload.length === 1 ? "byte" : "bytes"}`}
        </p>
      </>
    )}
  </section>
)

/** The run that an address names, of the automation that it names too. */
const runOf = Effect.fnUntraced(function*(call: Call) {
  const automation = yield* automationOf(call)
  const id = call.params["runId"] ?? ""
  const run = yield* getRun(id)
  if (run.automationId !== automation.id) return yield* notFound("run", id)
  return { automation, run }
})

const titleOf = ({ name }: Automation): string => `A run of ${inertLine(name)}`

const notices = {
  started: "A new run was started.",
  again: "A new run was started, with the same payload.",
  cancelled: "The run was told to end."
}

const show = Effect.fnUntraced(function*(call: Call, refused?: Failure) {
  const { automation, run } = yield* runOf(call)
  const { organizationId } = yield* CurrentPrincipal
  const { workspaceId } = run
  const { workspace } = yield* referredTo({ projectId: run.projectId, ...workspaceId === undefined ? {} : { workspaceId } })
  const events = yield* listRunEvents(run.id, "newest", maxEvents)
  const payload = yield* (yield* RunStore).payload(organizationId, run.id)
  const status = refused === undefined ? 200 : statusOf[refused.code]
  const notice = refused === undefined ? noticeOf(call, notices) : refusalNotice(refused)
  return yield* showPage(call, { title: titleOf(automation), notice, status, live: true }, (
    <>
      <p class="crumb"><a href={`/automations/${automation.id}`}>← <Inert text={automation.name} /></a></p>
      <State run={run} workspace={workspace} now={yield* now} />
      <Output run={run} events={events} />
      <RunSteps events={events} />
      <Payload payload={payload} />
    </>
  ))
})

const cancel = Effect.fnUntraced(function*(call: FormCall) {
  const { run } = yield* runOf(call)
  return yield* cancelRun(run.id).pipe(
    Effect.as(seeOther(`${runPath(run)}?notice=cancelled`)),
    Effect.catchTag("Conflict", (refused) => show(call, refused))
  )
})

const retry = Effect.fnUntraced(function*(call: FormCall) {
  const { run } = yield* runOf(call)
  return yield* retryRun(run.id).pipe(
    Effect.map((again) => seeOther(`${runPath(again)}?notice=again`)),
    Effect.catchTag(["Conflict", "AutomationPaused"], (refused: Failure) => show(call, refused))
  )
})

const back = Effect.fnUntraced(function*(call: Call) {
  return seeOther(runPath((yield* runOf(call)).run))
})

const home = "/automations/:automationId/runs/:runId"
const security = "browser"

export const runPages = [
  defineView({ path: home, security, summary: "A run", handle: (call) => show(call) }),
  defineForm({ path: `${home}/cancel`, security, summary: "Cancels a run", handle: cancel }),
  defineView({ path: `${home}/cancel`, security, summary: "Back to the run", handle: back }),
  defineForm({ path: `${home}/retry`, security, summary: "Runs again with the same payload", handle: retry }),
  defineView({ path: `${home}/retry`, security, summary: "Back to the run", handle: back })
]
