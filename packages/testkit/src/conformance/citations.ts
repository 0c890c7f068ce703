import type { Requirement } from "./requirement.ts"

/** The ids that a test's source cites: the string literals in its calls of `verifies`. */
export const citations = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/\bverifies\(([^)]*)\)/g)].flatMap(([, args = ""]) =>
    [...args.matchAll(/["'`]([^"'`]+)["'`]/g)].map(([, id = ""]) => id)
  )

/** What is wrong with a set of citations: ids that there are not, and built requirements that nobody cites. */
export const judgeCitations = (requirements: ReadonlyArray<Requirement>, cited: ReadonlySet<string>) => {
  const known = new Set(requirements.map(({ id }) => id))
  return {
    unknown: [...cited].filter((id) => !known.has(id)),
    uncited: requirements.filter(({ id, state }) => state === "built" && !cited.has(id)).map(({ id }) => id),
    open: requirements.filter(({ state }) => state === "open").map(({ id }) => id)
  }
}
