// Git in memory: no more of it than what the host ports speak of.

/** What a commit or a working tree holds: file names and their text. */
export type Files = ReadonlyMap<string, string>

/** Changes to files; `null` deletes one. */
export type Changes = Readonly<Record<string, string | null>>

export interface FakeRemote {
  readonly name: string
  /** Why it refuses what is pushed, while it does. */
  refuses?: string | undefined
  readonly branches: Map<string, string>
}

export interface FakeRepository {
  readonly path: string
  readonly bare: boolean
  /** The branch that is checked out in the repository's own working tree. */
  readonly defaultBranch: string
  readonly commits: Map<string, { readonly parent: string | undefined; readonly files: Files }>
  readonly branches: Map<string, string>
  /** Refs that are no branches, as rescue refs. */
  readonly refs: Map<string, string>
  readonly remotes: Map<string, FakeRemote>
  /** Files of the repository's own working tree that Git ignores, as `.env`. */
  readonly ignoredFiles: Map<string, string>
}

export const applied = (files: Files, changes: Changes): Files => {
  const result = new Map(files)
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) result.delete(path)
    else result.set(path, text)
  }
  return result
}

export const makeRepository = (path: string, options: { readonly bare?: boolean; readonly defaultBranch?: string } = {}): FakeRepository => ({
  path,
  bare: options.bare ?? false,
  defaultBranch: options.defaultBranch ?? "main",
  commits: new Map(),
  branches: new Map(),
  refs: new Map(),
  remotes: new Map(),
  ignoredFiles: new Map()
})

/** Stores a commit and answers its id: forty digits, as Git's are. */
export const addCommit = (repository: FakeRepository, parent: string | undefined, files: Files): string => {
  const id = (repository.commits.size + 1).toString(16).padStart(40, "c0ffee")
  repository.commits.set(id, { parent, files })
  return id
}

/** Commits changes on top of a branch, which is made at the default branch when it is new. */
export const commitTo = (repository: FakeRepository, branch: string, changes: Changes): string => {
  const parent = repository.branches.get(branch) ?? repository.branches.get(repository.defaultBranch)
  const id = addCommit(repository, parent, applied(filesOf(repository, parent), changes))
  repository.branches.set(branch, id)
  return id
}

export const filesOf = (repository: FakeRepository, commit: string | undefined): Files =>
  (commit === undefined ? undefined : repository.commits.get(commit)?.files) ?? new Map()

/** The commit that a branch, a remote branch or a commit's id names. */
export const resolve = (repository: FakeRepository, name: string): string | undefined => {
  const [remote, ...branch] = name.split("/")
  return repository.branches.get(name) ??
    (repository.commits.has(name) ? name : repository.remotes.get(remote ?? "")?.branches.get(branch.join("/")))
}

/** A commit and all that it stands on. */
export const history = (repository: FakeRepository, commit: string | undefined): ReadonlySet<string> => {
  const commits = new Set<string>()
  for (let at = commit; at !== undefined; at = repository.commits.get(at)?.parent) commits.add(at)
  return commits
}

/** How many commits of a branch neither its base nor any other branch or remote branch holds. */
export const unmergedCommits = (repository: FakeRepository, branch: string, head: string, base: string): number => {
  const held = new Set(history(repository, base))
  const tips = [...repository.branches].flatMap(([name, tip]) => name === branch ? [] : [tip])
  for (const remote of repository.remotes.values()) tips.push(...remote.branches.values())
  for (const tip of tips) for (const commit of history(repository, tip)) held.add(commit)
  return [...history(repository, head)].filter((commit) => !held.has(commit)).length
}

/** Whether `.gitignore` names a file: by its whole name, or as part of a folder `name/`. */
export const isIgnored = (files: Files, path: string): boolean =>
  linesOf(files.get(".gitignore") ?? "").some((line) => line === path || (line.endsWith("/") && path.startsWith(line)))

export const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))

/** A working tree without what Git ignores in it. */
export const tracked = (files: Files): Files => new Map([...files].filter(([path]) => !isIgnored(files, path)))
