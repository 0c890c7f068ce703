import { type AuditEntry, listAuditEntries } from "@coppice/core"
import { DateTime, Effect } from "effect"
import type { Call } from "../pipeline/call.ts"
import { auditSentences, nobody } from "./audit-sentence.ts"
import { defineView } from "./define-page.ts"
import { showPage } from "./page.tsx"
import { Pager, partOf } from "./pager.tsx"
import { nameIn, type People, peopleOf } from "./people.ts"
import { Time } from "./time.tsx"

const What = ({ action, subject }: AuditEntry) => {
  const { after, alone = false, before } = auditSentences[action]
  if (alone) return <>{before}</>
  return <>{before} <strong class="subject"><bdi>{subject}</bdi></strong>{after !== undefined && ` ${after}`}</>
}

const Row = ({ entry, people }: { readonly entry: AuditEntry; readonly people: People }) => (
  <tr>
    <td data-label="When" class="tight">
      <Time at={entry.at} />
      <span class="under">{DateTime.formatIso(entry.at).slice(0, 16).replace("T", " ")} UTC</span>
    </td>
    <th scope="row">{entry.actorId === undefined ? nobody(entry.action) : nameIn(people, entry.actorId)}</th>
    <td data-label="What" class="text"><What {...entry} /></td>
    <td data-label="From" class="text from">{entry.address}</td>
  </tr>
)

const Entries = ({ entries, people }: { readonly entries: ReadonlyArray<AuditEntry>; readonly people: People }) => (
  <div class="card table">
    <table class="stack">
      <caption class="unseen">What was done, newest first</caption>
      <thead>
        <tr>{["When", "Who", "What", "From"].map((title) => <th scope="col">{title}</th>)}</tr>
      </thead>
      <tbody>{entries.map((entry) => <Row entry={entry} people={people} />)}</tbody>
    </table>
  </div>
)

const view = Effect.fnUntraced(function*(call: Call) {
  const { items, nextCursor } = yield* listAuditEntries(partOf(call))
  const people = yield* peopleOf(items.map(({ actorId }) => actorId))
  return yield* showPage(call, { title: "Audit log" }, (
    <>
      <p class="soft">Who was let in, and who let them: sign-ins, members, keys, connections and tokens. Entries are kept as they are.</p>
      {items.length === 0 ? <div class="card empty"><p>Nothing has been written down yet.</p></div> : <Entries entries={items} people={people} />}
      <Pager next={nextCursor} label="More of the log" />
    </>
  ))
})

export const auditPages = [
  defineView({ path: "/settings/audit", security: "browser", summary: "What was granted, made and revoked", handle: view })
]
