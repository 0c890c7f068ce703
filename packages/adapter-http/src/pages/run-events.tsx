import type { RunEvent } from "@coppice/core"
import { Inert } from "./inert.tsx"
import { endOf } from "./inert-text.ts"
import { statusWords } from "./run-words.ts"
import { Time } from "./time.tsx"

const maxOutputLength = 64 * 1024

const isOutput = ({ type }: RunEvent): boolean => type === "output" || type === "setup_output" || type === "output_dropped"

/** The end of what a run has printed, and whether there was more before. What was lost on the way is said in its place. */
export const outputOf = (events: ReadonlyArray<RunEvent>): { readonly text: string; readonly isCut: boolean } => {
  const all = events.filter(isOutput)
    .map(({ bytes, text = "", type }) => type === "output_dropped" ? `\n[${bytes ?? 0} bytes came too fast to be kept]\n` : text)
    .join("")
  const text = endOf(all, maxOutputLength)
  return { text, isCut: text.length < all.length }
}

const Step = ({ event: { at, attempt, status, text }, isFirstOfAttempt }: { readonly event: RunEvent; readonly isFirstOfAttempt: boolean }) => (
  <li>
    <Time at={at} />{" "}
    {status !== undefined && <strong>{statusWords[status].text}</strong>}{status !== undefined && text !== undefined && ": "}
    {text !== undefined && <Inert text={text} />}
    {isFirstOfAttempt && attempt > 1 && <span class="soft"> (attempt {attempt})</span>}
  </li>
)

/** What happened to a run besides what was printed, in order. */
export const RunSteps = ({ events }: { readonly events: ReadonlyArray<RunEvent> }) => {
  const steps = events.filter((event) => !isOutput(event))
  return (
    <section class="card" id="steps" data-live>
      <h2>Steps</h2>
      {steps.length === 0 ? <p class="soft">Nothing has happened yet.</p> : (
        <ol class="steps">
          {steps.map((event, place) => <Step event={event} isFirstOfAttempt={steps[place - 1]?.attempt !== event.attempt} />)}
        </ol>
      )}
    </section>
  )
}
