import type { Effect, Stream } from "effect"
import { Context, Schema } from "effect"
import type { Conflict, InvalidRequest } from "../error.ts"
import type { ErrorCode } from "../error-code.ts"
import { Failure } from "../failure.ts"
import type { HostCallError } from "../host/host-call.ts"
import type { ProjectId, WorkspaceId } from "../id.ts"
import type { Setup } from "../project/project.ts"
import type { Timestamp } from "../timestamp.ts"

/** A worktree could not be made usable. What was made of it is gone again. */
export class WorktreeFailed extends Schema.TaggedError<WorktreeFailed>()("WorktreeFailed", {
  failure: Failure
}) {
  readonly code = "CONFLICT" satisfies ErrorCode
  override get message(): string {
    return this.failure.message
  }
}

/** What a worktree is made from. The workspace's id is the key: the same request again answers the same worktree. */
export interface WorktreeRequest {
  readonly workspaceId: WorkspaceId
  readonly projectId: ProjectId
  readonly repositoryPath: string
  readonly trusted: boolean
  /** A branch to make at the base, or, with `existingBranch`, one to check out. */
  readonly branch: string
  readonly existingBranch: boolean
  /** The branch, tag or commit that its changes are measured against. */
  readonly base: string
  readonly setup?: Setup
  readonly deadline: Timestamp
}

/** What happens while a worktree is made; the last event is `Ready`. */
export type WorktreeEvent =
  | { readonly _tag: "Progress"; readonly message: string }
  | { readonly _tag: "SetupOutput"; readonly text: string }
  | { readonly _tag: "Ready"; readonly path: string; readonly baseCommit: string }

/** Which worktree, for a host that keeps no records of its own. */
export interface WorktreeRef {
  readonly workspaceId: WorkspaceId
  readonly repositoryPath: string
  readonly trusted: boolean
  readonly path: string
  readonly branch: string
  readonly baseCommit: string
}

/** A worktree whose creation was cut off, so that no record says where it is. */
export type UnfinishedWorktree = Omit<WorktreeRef, "path" | "baseCommit"> & { readonly path?: never }

export interface WorktreeStatus {
  /** Something differs from the last commit: changed, staged or untracked, ignored files aside. */
  readonly dirty: boolean
  /** Commits of the branch that neither the base commit nor any other branch or remote branch holds. */
  readonly unmergedCommits: number
  readonly headCommit: string
}

export interface ChangedFile {
  readonly path: string
  readonly change: "added" | "modified" | "deleted" | "renamed"
  /** Absent for binary files. */
  readonly addedLines?: number
  readonly deletedLines?: number
}

/** The worktrees of a host. One writer at a time touches a repository. */
export class Worktrees extends Context.Service<Worktrees, {
  /**
   * Makes a worktree usable: checked out at the base, submodules fetched, the ignored files that `.worktreeinclude`
   * names copied, the set-up commands done. Events come as it goes. Interruption, the deadline or any failure leaves
   * no worktree, no new branch and no process behind.
   */
  create(request: WorktreeRequest): Stream.Stream<WorktreeEvent, WorktreeFailed | InvalidRequest | HostCallError>
  /** The worktrees of a repository that this host made, by what Git and the file system say. */
  list(repositoryPath: string): Effect.Effect<ReadonlyArray<{
    readonly workspaceId: WorkspaceId
    readonly path: string
    readonly branch?: string
    readonly headCommit: string
  }>, InvalidRequest | HostCallError>
  /** Fails with `Conflict` when the worktree is not there any more. */
  status(worktree: WorktreeRef): Effect.Effect<WorktreeStatus, Conflict | HostCallError>
  /**
   * What differs from the base commit, committed or not, untracked files included, ignored ones not. The patch is cut
   * at `maxPatchBytes` on a line's end, and says so in `truncated`.
   */
  diff(worktree: WorktreeRef, options: { readonly patch: boolean; readonly maxPatchBytes: number }): Effect.Effect<{
    readonly files: ReadonlyArray<ChangedFile>
    readonly patch?: string
    readonly truncated: boolean
  }, Conflict | HostCallError>
  /**
   * Removes the worktree, and its branch when that is `coppice/…` and merged. Work that would be lost is refused with
   * `Conflict`, or with `force` first kept under a rescue ref, which is answered. One that is not there is removed
   * already. Without a path: one whose creation was cut off; the host knows where it would be.
   */
  remove(worktree: WorktreeRef | UnfinishedWorktree, options: {
    readonly force: boolean
  }): Effect.Effect<{ readonly rescueRef?: string }, Conflict | HostCallError>
  /** Free bytes where worktrees are made. */
  freeBytes(): Effect.Effect<number, HostCallError>
}>()("@coppice/core/workspace/Worktrees") {}
