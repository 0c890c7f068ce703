import type { ChangedFile } from "@coppice/core"
import type { Files } from "./git.ts"

interface Change {
  readonly file: ChangedFile
  readonly before: string | undefined
  readonly after: string | undefined
}

const linesIn = (text: string | undefined): ReadonlyArray<string> =>
  text === undefined || text === "" ? [] : text.replace(/\n$/, "").split("\n")

/** What differs between two states of a working tree, by file name. Text that is not found again counts as changed. */
export const changesOf = (before: Files, after: Files): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  const gone = new Map([...before].filter(([path]) => !after.has(path)))
  for (const [path, text] of after) {
    const old = before.get(path)
    if (old === text) continue
    const source = old === undefined ? [...gone].find(([, other]) => other === text) : undefined
    if (source !== undefined) gone.delete(source[0])
    const change = source !== undefined ? "renamed" : old === undefined ? "added" : "modified"
    const was = source === undefined ? old : text
    changes.push({ file: { path, change, ...countLines(was, text) }, before: was, after: text })
  }
  for (const [path, text] of gone) {
    changes.push({ file: { path, change: "deleted", ...countLines(text, undefined) }, before: text, after: undefined })
  }
  return changes.toSorted((left, right) => left.file.path < right.file.path ? -1 : 1)
}

const countLines = (before: string | undefined, after: string | undefined) => {
  const [old, present] = [linesIn(before), linesIn(after)]
  return {
    addedLines: present.filter((line) => !old.includes(line)).length,
    deletedLines: old.filter((line) => !present.includes(line)).length
  }
}

/** A patch of the changes, cut at a line's end. */
export const patchOf = (changes: ReadonlyArray<Change>, maxBytes: number): { patch: string; truncated: boolean } => {
  const lines = changes.flatMap(({ after, before, file: { path } }) => {
    const [old, present] = [linesIn(before), linesIn(after)]
    return [
      `diff --git a/${path} b/${path}`,
      ...old.filter((line) => !present.includes(line)).map((line) => `-${line}`),
      ...present.filter((line) => !old.includes(line)).map((line) => `+${line}`)
    ]
  })
  const kept: Array<string> = []
  let bytes = 0
  for (const line of lines) {
    bytes += new TextEncoder().encode(line).length + 1
    if (bytes > maxBytes) return { patch: kept.join(""), truncated: true }
    kept.push(`${line}\n`)
  }
  return { patch: kept.join(""), truncated: false }
}
