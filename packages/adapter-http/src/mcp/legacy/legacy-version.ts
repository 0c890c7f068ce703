/** The revisions with `initialize` that are served, the newest first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const

/** The only revision that has batches, and the one of a client that names none. */
export const firstVersion = "2025-03-26"

export const isServed = (version: string): boolean => (legacyVersions as ReadonlyArray<string>).includes(version)
