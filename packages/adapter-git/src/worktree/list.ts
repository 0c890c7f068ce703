import type { InvalidRequest, WorkspaceId } from "@coppice/core"
import { Effect } from "effect"
import type { Git } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import { worktreesOf } from "../git/refs.ts"
import type { HostContext } from "../host-context.ts"
import { findRepository } from "../repository/inspect.ts"
import { isOurs } from "./place.ts"
import type { WorktreeRecords } from "./record.ts"

export interface ListedWorktree {
  readonly workspaceId: WorkspaceId
  readonly path: string
  readonly branch?: string
  readonly headCommit: string
}

/** The worktrees of a repository that this host made and that are there. */
export const listWorktrees = (
  context: HostContext,
  git: Git,
  records: WorktreeRecords,
  repositoryPath: string
): Effect.Effect<ReadonlyArray<ListedWorktree>, InvalidRequest | GitFailed> =>
  Effect.gen(function*() {
    const layout = yield* findRepository(context, git, repositoryPath)
    const known = new Map(
      (yield* Effect.promise(() => records.all()))
        .filter(({ state, commonDir }) => state === "ready" && commonDir === layout.commonDir)
        .map((record) => [record.path, record])
    )
    const listed: Array<ListedWorktree> = []
    for (const { path, head, branch } of yield* worktreesOf(git, layout)) {
      const record = known.get(path)
      if (record === undefined || !(yield* Effect.promise(() => isOurs(context, record.workspaceId, path)))) continue
      listed.push({ workspaceId: record.workspaceId, path, headCommit: head, ...(branch !== undefined && { branch }) })
    }
    return listed
  })
