/** One fact that the interface document states. A `built` one is proved by a test that cites it; the others are to come. */
export interface Requirement {
  readonly id: string
  /** The section of the interface document that says so. */
  readonly section: string
  readonly text: string
  readonly state: "built" | "open"
}

/** The facts of one section, with their ids kept as types. */
export const section = <const Rows extends { readonly [id: string]: readonly [state: Requirement["state"], text: string] }>(
  title: string,
  rows: Rows
): ReadonlyArray<Requirement & { readonly id: keyof Rows & string }> =>
  Object.entries(rows).map(([id, [state, text]]) => ({ id, section: title, state, text }))
