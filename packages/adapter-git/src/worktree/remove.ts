import type { UnfinishedWorktree, WorktreeRef } from "@coppice/core"
import { Conflict } from "@coppice/core"
import { Effect } from "effect"
import type { Git } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { Layout } from "../git/layout.ts"
import { checkedOutAt, refCommit } from "../git/refs.ts"
import type { RepositoryBusy } from "../git/repository-lock.ts"
import { withRepositoryLock } from "../git/repository-lock.ts"
import type { HostContext } from "../host-context.ts"
import type { Place } from "./place.ts"
import { findPlace, isOurs, repositoryOf } from "./place.ts"
import type { WorktreeRecords } from "./record.ts"
import { rescue } from "./rescue.ts"
import { countUnmerged, examine } from "./status.ts"
import { deleteRef, removeFiles, rescueRefOf, takeDown } from "./take-down.ts"
import { untorn } from "../file/untorn.ts"

const isServices = (branch: string): boolean => branch.startsWith("coppice/")

/** What would be lost, in words. */
const losses = (found: Effect.Success<ReturnType<typeof examine>>, losesCommits: boolean): ReadonlyArray<string> => {
  const some = (count: number, one: string, many: string) => count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  return [
    ...some(found.changedFiles, "file that is changed or new and not committed", "files that are changed or new and not committed"),
    ...(losesCommits ? some(found.unmergedCommits, "commit that no other branch holds", "commits that no other branch holds") : []),
    ...found.nestedChanged.map((path) => `changes in the repository at ${JSON.stringify(path)}`),
    ...found.nestedUnpushed.map((path) => `commits in the repository at ${JSON.stringify(path)} that no remote has`)
  ]
}

/** Deletes a branch of the service's own that is checked out nowhere. */
const deleteBranch = (git: Git, layout: Layout, branch: string) =>
  Effect.gen(function*() {
    const ref = `refs/heads/${branch}`
    const tip = yield* refCommit(git, layout, ref)
    if (tip !== undefined && (yield* checkedOutAt(git, layout, branch)) === undefined) yield* deleteRef(git, layout, ref, tip)
  })

/** Removes a worktree that is there. Nothing is deleted before it is known that nothing is lost by it. */
const removePresent = (
  context: HostContext,
  git: Git,
  records: WorktreeRecords,
  worktree: WorktreeRef,
  place: Place,
  force: boolean
) =>
  Effect.gen(function*() {
    const found = yield* examine(context, git, place, worktree)
    // Another's branch stays, and with it its commits; those of a HEAD that left it would go.
    const tip = yield* refCommit(git, place.layout, `refs/heads/${worktree.branch}`)
    const losesCommits = isServices(worktree.branch) || tip !== place.headCommit
    const lost = losses(found, losesCommits)
    const rescueRef = rescueRefOf(worktree.workspaceId)
    if (lost.length > 0 && !force) {
      return yield* new Conflict({
        message: `The workspace has work that would be lost: ${lost.join("; ")}.`,
        hint: `Commit it and push or merge its branch, or delete it with force: its work is then kept under ${rescueRef}.`
      })
    }
    if (found.nestedUnpushed.length > 0) {
      return yield* new Conflict({
        message: `The workspace has ${lost.filter((each) => each.endsWith("no remote has")).join("; ")}, which cannot be kept elsewhere.`,
        hint: "Push them, or remove that repository from the worktree by hand."
      })
    }
    if (lost.length > 0) yield* rescue(context, git, place, worktree)
    const record = {
      workspaceId: worktree.workspaceId,
      state: "removing" as const,
      repositoryPath: place.layout.top,
      commonDir: place.layout.commonDir,
      path: place.path,
      branch: worktree.branch,
      newBranch: false,
      baseCommit: worktree.baseCommit,
      ...(lost.length > 0 && { rescueRef })
    }
    yield* untorn(() => records.write(record))
    yield* removeFiles(context, place.layout, worktree.workspaceId, place.path)
    if (isServices(worktree.branch)) yield* deleteBranch(git, place.layout, worktree.branch)
    yield* untorn(() => records.remove(worktree.workspaceId))
    return lost.length > 0 ? { rescueRef } : {}
  })

/** Finishes a removal that a crash cut off: what it removes was looked at, and kept, before. */
const finish = (context: HostContext, git: Git, records: WorktreeRecords, layout: Layout, worktree: WorktreeRef, rescueRef?: string) =>
  Effect.gen(function*() {
    yield* removeFiles(context, layout, worktree.workspaceId, worktree.path)
    if (isServices(worktree.branch)) {
      const tip = yield* refCommit(git, layout, `refs/heads/${worktree.branch}`)
      const place = tip === undefined ? undefined : { path: worktree.path, layout, gitDir: layout.commonDir, headCommit: tip }
      const unmerged = place === undefined ? 0 : yield* countUnmerged(git, place, worktree.branch, worktree.baseCommit)
      // Without its worktree a branch that nothing else holds is all that is left of it: it stays.
      if (unmerged === 0 || rescueRef !== undefined) yield* deleteBranch(git, layout, worktree.branch)
    }
    yield* untorn(() => records.remove(worktree.workspaceId))
    return rescueRef === undefined ? {} : { rescueRef }
  })

/** Removes a worktree, whatever state its creation or an earlier removal left it in. */
export const removeWorktree = (
  context: HostContext,
  git: Git,
  records: WorktreeRecords,
  given: WorktreeRef | UnfinishedWorktree,
  options: { readonly force: boolean }
): Effect.Effect<{ readonly rescueRef?: string }, Conflict | GitFailed | RepositoryBusy> =>
  Effect.gen(function*() {
    const record = yield* Effect.promise(() => records.read(given.workspaceId))
    if (record === undefined && given.path === undefined) return {}
    const layout = yield* repositoryOf(git, given.repositoryPath)
    return yield* Effect.gen(function*() {
      if (record?.state === "making") {
        yield* takeDown(context, git, layout, record)
        yield* untorn(() => records.remove(given.workspaceId))
        return {}
      }
      const worktree: WorktreeRef = given.path === undefined
        ? { ...given, path: record!.path, baseCommit: record!.baseCommit }
        : given
      const present = yield* Effect.promise(() => isOurs(context, worktree.workspaceId, worktree.path))
      if (!present || record?.state === "removing") {
        return yield* finish(context, git, records, layout, worktree, record?.rescueRef)
      }
      const place = yield* findPlace(context, git, worktree)
      return yield* removePresent(context, git, records, worktree, place, options.force)
    }).pipe(withRepositoryLock(layout.commonDir, context.lockWaitMillis))
  })
