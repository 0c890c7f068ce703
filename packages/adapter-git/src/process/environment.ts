import { delimiter, isAbsolute, resolve } from "node:path"

export type Environment = Readonly<Record<string, string | undefined>>

/** What every child gets of the service's own environment; nothing else goes unless it is named. */
const allowed = /^(?:PATH|HOME|USER|LANG|LC_[A-Z]+|TERM|TMPDIR|SHELL)$/

/** PATH without the entries that are not the operator's own, and without relative ones, which a worktree could fill. */
export const cleanPath = (path: string | undefined, excluded: ReadonlyArray<string>): string => {
  const unwanted = new Set(excluded.map((entry) => resolve(entry)))
  return (path ?? "/usr/local/bin:/usr/bin:/bin")
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !unwanted.has(resolve(entry)))
    .join(delimiter)
}

/** The environment that children start from: the allowed names and those that are passed by name. */
export const childEnvironment = (
  own: Environment,
  excludedPathEntries: ReadonlyArray<string>,
  pass: ReadonlyArray<string> = []
): Record<string, string> => {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && (allowed.test(name) || pass.includes(name))) environment[name] = value
  }
  environment["PATH"] = cleanPath(own["PATH"], excludedPathEntries)
  return environment
}
