import { Conflict } from "@coppice/core"
import type { Worktrees } from "@coppice/core/ports"
import type { InvalidRequest, WorktreeEvent, WorktreeFailed } from "@coppice/core"
import { Effect, Queue, Stream } from "effect"
import { statfs } from "node:fs/promises"
import type { Git } from "./git/git.ts"
import type { GitFailed } from "./git/git-failed.ts"
import type { RepositoryBusy } from "./git/repository-lock.ts"
import type { HostContext } from "./host-context.ts"
import { makeKeyedLock } from "./keyed-lock.ts"
import { createWorktree } from "./worktree/create.ts"
import { worktreeDiff } from "./worktree/diff.ts"
import { listWorktrees } from "./worktree/list.ts"
import { worktreeRecords } from "./worktree/record.ts"
import { removeWorktree } from "./worktree/remove.ts"
import { worktreeStatus } from "./worktree/status.ts"

/** A worktree's owner may break it in any way; what Git then says is for whoever asked, and no fault of this process. */
const asConflict = <A>(
  effect: Effect.Effect<A, Conflict | GitFailed | RepositoryBusy>,
  what: string
): Effect.Effect<A, Conflict> =>
  Effect.mapError(effect, (failure) =>
    failure._tag === "Conflict" ? failure : new Conflict({ message: `${what}: ${failure.message}` }))

/** The worktrees of this machine. */
export const makeWorktrees = (context: HostContext, git: Git): Worktrees["Service"] => {
  const records = worktreeRecords(context.folders.records)
  const exclusively = makeKeyedLock()
  return {
    create: (request) =>
      Stream.callback<WorktreeEvent, WorktreeFailed | InvalidRequest>((queue) =>
        exclusively(
          request.workspaceId,
          createWorktree(context, git, records, request, (event) => Queue.offerUnsafe(queue, event))
        ).pipe(Effect.andThen(Queue.end(queue))), { bufferSize: Number.POSITIVE_INFINITY }),
    list: (repositoryPath) => listWorktrees(context, git, records, repositoryPath),
    status: (worktree) => asConflict(worktreeStatus(context, git, worktree), "The state of the workspace cannot be told"),
    diff: (worktree, options) =>
      asConflict(worktreeDiff(context, git, worktree, options), "The changes of the workspace cannot be told"),
    remove: (worktree, options) =>
      exclusively(
        worktree.workspaceId,
        asConflict(removeWorktree(context, git, records, worktree, options), "The workspace could not be removed")
      ),
    freeBytes: () =>
      Effect.promise(async () => {
        const found = await statfs(context.folders.worktrees)
        return found.bavail * found.bsize
      })
  }
}
