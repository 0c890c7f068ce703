import type { MachineId, WorkspaceId } from "@coppice/core"
import { Conflict } from "@coppice/core"
import { Effect, Semaphore } from "effect"
import type { Calls } from "./calls.ts"
import { makeCalls } from "./calls.ts"
import type { Changes, FakeRepository, Files } from "./git.ts"
import { addCommit, applied, filesOf, tracked } from "./git.ts"

export interface FakeWorktree {
  readonly workspaceId: WorkspaceId
  readonly repositoryPath: string
  readonly path: string
  readonly branch: string
  readonly baseCommit: string
  /** Whether the branch was made with it. */
  readonly madeBranch: boolean
  /** Whether it is usable. One that is not yet, or whose creation was cut off, is not told of. */
  ready: boolean
  files: Files
}

/** The machine that the fakes of all host ports stand on. */
export interface Machine {
  readonly machineId: MachineId
  readonly name: string
  readonly repositoryRoots: ReadonlyArray<string>
  readonly calls: Calls
  readonly repositories: Map<string, FakeRepository>
  /** What can be cloned, by URL; the value's `refuses` says why a clone fails. */
  readonly remoteRepositories: Map<string, { readonly repository: FakeRepository; readonly refuses?: string }>
  readonly worktrees: Map<string, FakeWorktree>
  freeBytes: number
  /** One call at a time for each workspace: the same request again waits for the first. */
  readonly workspaceLock: (workspaceId: WorkspaceId) => Semaphore.Semaphore
}

export const makeMachine = (options: {
  readonly machineId: MachineId
  readonly name: string
  readonly repositoryRoots: ReadonlyArray<string>
  readonly freeBytes: number
}): Machine => {
  const locks = new Map<WorkspaceId, Semaphore.Semaphore>()
  return {
    ...options,
    calls: makeCalls(),
    repositories: new Map(),
    remoteRepositories: new Map(),
    worktrees: new Map(),
    workspaceLock: (workspaceId) => {
      const lock = locks.get(workspaceId) ?? Semaphore.makeUnsafe(1)
      locks.set(workspaceId, lock)
      return lock
    }
  }
}

/** The commit that a worktree stands at. */
export const headOf = (repository: FakeRepository, worktree: FakeWorktree): string =>
  repository.branches.get(worktree.branch) ?? worktree.baseCommit

export const changeWorktree = (worktree: FakeWorktree, changes: Changes): void => {
  worktree.files = applied(worktree.files, changes)
}

/** Commits what is in a worktree, ignored files aside. */
export const commitWorktree = (repository: FakeRepository, worktree: FakeWorktree): string => {
  const commit = addCommit(repository, headOf(repository, worktree), tracked(worktree.files))
  repository.branches.set(worktree.branch, commit)
  return commit
}

/** A repository and a worktree in it that are there, or the `Conflict` that says it is not. */
export const findWorktree = (machine: Machine, repositoryPath: string, path: string) =>
  Effect.suspend(() => {
    const repository = machine.repositories.get(repositoryPath)
    const worktree = machine.worktrees.get(path)
    return repository === undefined || worktree === undefined || worktree.repositoryPath !== repositoryPath
      ? Effect.fail(new Conflict({ message: `The worktree ${path} is not there any more.` }))
      : Effect.succeed({ repository, worktree, head: headOf(repository, worktree) })
  })

export const isDirty = (repository: FakeRepository, worktree: FakeWorktree): boolean => {
  const head = filesOf(repository, headOf(repository, worktree))
  const present = tracked(worktree.files)
  return head.size !== present.size || [...head].some(([path, text]) => present.get(path) !== text)
}
