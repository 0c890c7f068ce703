import type { Run, Timestamp } from "@coppice/core"
import { inertLine } from "./inert-text.ts"
import { runDuration, runNote, statusWords, triggerWords } from "./run-words.ts"
import { Time } from "./time.tsx"

export const RunStatusTag = ({ run: { status } }: { readonly run: Run }) => (
  <span class={`tag ${statusWords[status].kind}`}>{statusWords[status].text}</span>
)

export const runPath = ({ automationId, id }: Pick<Run, "automationId" | "id">): string => `/automations/${automationId}/runs/${id}`

const maxNoteLength = 200

const Row = ({ now, run }: { readonly run: Run; readonly now: Timestamp }) => {
  const note = runNote(run)
  return (
    <tr>
      <td data-label="Status"><RunStatusTag run={run} /></td>
      <td data-label="Came"><a href={runPath(run)}><Time at={run.createdAt} /></a></td>
      <td data-label="By">{triggerWords[run.trigger]}{run.retryOf !== undefined && ", again"}</td>
      <td data-label="Took" class="tight">{runDuration(run, now) ?? "–"}</td>
      <td data-label="Note" class="note">{note === undefined ? "" : <bdi>{inertLine(note.slice(0, maxNoteLength))}</bdi>}</td>
    </tr>
  )
}

/** Runs of one automation, the newest first. */
export const RunTable = ({ now, runs }: { readonly runs: ReadonlyArray<Run>; readonly now: Timestamp }) => (
  <div class="table">
    <table class="stack data">
      <thead><tr><th>Status</th><th>Came</th><th>By</th><th>Took</th><th>Note</th></tr></thead>
      <tbody>{runs.map((run) => <Row run={run} now={now} />)}</tbody>
    </table>
  </div>
)
