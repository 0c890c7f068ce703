/** What terminals obey: control sequences and strings, in seven and in eight bits (ECMA-48 section 5). */
const sequences = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\r\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g

const controls = /[\p{Cc}--[\n\t]]/gv

/** Marks that turn the direction of text, and what has no width: with it a text reads otherwise than it is. Joiners are of letters. */
const unseen = /[[\p{Cf}\p{Zl}\p{Zp}]--[\u00ad\u200c\u200d]]/gv

const reveal = (mark: string): string => `⟨U+${mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`

/** A text that comes from outside, as it may be shown: it steers nothing, hides nothing and turns nothing around. */
export const inertText = (text: string): string =>
  text.replace(sequences, "").replace(/\r\n?/g, "\n").replace(controls, "").replace(unseen, reveal).toWellFormed()

/** The same on one line. */
export const inertLine = (text: string): string => inertText(text).replace(/\s+/g, " ").trim()

/** The end of a long text, from the beginning of a line where there is one. */
export const endOf = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  const end = text.slice(-maxLength)
  const line = end.indexOf("\n")
  return line === -1 || line > maxLength / 2 ? end : end.slice(line + 1)
}
