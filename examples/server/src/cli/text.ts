/** Takes out what could drive a terminal: agents and payloads may say anything. */
export const harmless = (text: string): string =>
  text.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)/g, "")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")

const oneLine = (text: string): string => harmless(text).replace(/\s+/g, " ").trim()

/** Aligned columns; the last one is as long as it is. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string | number | undefined>>): string => {
  const lines = [heads, ...rows.map((row) => row.map((cell) => cell === undefined || cell === "" ? "-" : oneLine(String(cell))))]
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) => line.map((cell, column) => column === heads.length - 1 ? cell : cell.padEnd(widths[column]!)).join("  "))
    .join("\n")
}

/** Names and values, one to a line. What is not there is left out. */
export const details = (rows: ReadonlyArray<readonly [string, string | number | undefined]>): string => {
  const shown = rows.filter(([, value]) => value !== undefined)
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(String(value))}`).join("\n")
}

const units = [["d", 86_400], ["h", 3600], ["min", 60]] as const

const span = (seconds: number): string => {
  for (const [unit, size] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`
  return `${Math.max(0, Math.floor(seconds))} s`
}

/** How long ago, or how long from now. */
export const relative = (time: string | undefined): string | undefined => {
  if (time === undefined) return undefined
  const seconds = (Date.now() - Date.parse(time)) / 1000
  return seconds < 0 ? `in ${span(-seconds)}` : `${span(seconds)} ago`
}

/** How long something took, or has taken. */
export const duration = (from: string | undefined, to: string | undefined): string | undefined =>
  from === undefined ? undefined : span(((to === undefined ? Date.now() : Date.parse(to)) - Date.parse(from)) / 1000)

export const bytes = (count: number): string =>
  count >= 1024 ** 3 ? `${(count / 1024 ** 3).toFixed(1)} GiB` : `${Math.floor(count / 1024 ** 2)} MiB`
