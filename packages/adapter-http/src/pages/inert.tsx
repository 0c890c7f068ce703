import { inertLine, inertText } from "./inert-text.ts"

/** A name, or another short text, that somebody else chose. */
export const Inert = ({ text }: { readonly text: string }) => <bdi>{inertLine(text)}</bdi>

interface PassageProps {
  readonly text: string
  readonly label: string
  readonly id?: string
  /** Shown from its end, and kept there as it grows. */
  readonly fromEnd?: boolean
  /** Brought up to date while the page is open. */
  readonly live?: boolean
}

/** A long text that somebody else wrote: in a box of its own, which a keyboard can scroll too. */
export const Passage = ({ fromEnd = false, id, label, live = false, text }: PassageProps) => (
  <div class={fromEnd ? "passage from-end" : "passage"} tabIndex={0} role="region" aria-label={label}>
    <pre id={id} dir="auto" data-live={live ? "" : undefined}>{inertText(text)}</pre>
  </div>
)
