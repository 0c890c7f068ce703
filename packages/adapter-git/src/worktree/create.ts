import type { WorktreeEvent, WorktreeRequest } from "@coppice/core"
import { InvalidRequest, WorktreeFailed } from "@coppice/core"
import { Effect } from "effect"
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import type { Git } from "../git/git.ts"
import type { Layout } from "../git/layout.ts"
import { acceptsBranch, checkedOutAt, commitOf, refCommit } from "../git/refs.ts"
import type { RepositoryBusy } from "../git/repository-lock.ts"
import { withRepositoryLock } from "../git/repository-lock.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { HostContext } from "../host-context.ts"
import { millisUntil, within } from "../real-time.ts"
import { findRepository } from "../repository/inspect.ts"
import { addWorktree, checkOut } from "./checkout.ts"
import { worktreeFailed } from "./failed.ts"
import { copyIncluded } from "./include.ts"
import { isOurs } from "./place.ts"
import type { WorktreeRecord, WorktreeRecords } from "./record.ts"
import { runSetup } from "./setup.ts"
import { fetchSubmodules } from "./submodules.ts"
import { takeDown } from "./take-down.ts"
import { untorn } from "../file/untorn.ts"

export type Tell = (event: WorktreeEvent) => void

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const asWorktreeFailed = (
  failure: WorktreeFailed | InvalidRequest | GitFailed | RepositoryBusy
): WorktreeFailed | InvalidRequest =>
  failure._tag === "WorktreeFailed" || failure._tag === "InvalidRequest"
    ? failure
    : worktreeFailed("workspace", `The worktree could not be made: ${failure.message}`)

/** Whether the branch can be had, by the state of the repository; asked while nobody else writes to it. */
const checkBranch = (git: Git, layout: Layout, record: WorktreeRecord) =>
  Effect.gen(function*() {
    const tip = yield* refCommit(git, layout, `refs/heads/${record.branch}`)
    if (record.newBranch) {
      if (tip !== undefined) return yield* worktreeFailed("workspace", `There is a branch "${record.branch}" already. Choose another name.`)
      return
    }
    if (tip === undefined) return yield* worktreeFailed("workspace", `There is no branch "${record.branch}".`)
    const elsewhere = yield* checkedOutAt(git, layout, record.branch)
    if (elsewhere !== undefined) {
      return yield* worktreeFailed("workspace", `The branch "${record.branch}" is checked out at ${elsewhere} already.`)
    }
  })

/** Makes all of a worktree, from the branch to the last set-up command. */
const make = (context: HostContext, git: Git, layout: Layout, request: WorktreeRequest, record: WorktreeRecord, tell: Tell) =>
  Effect.gen(function*() {
    const { trusted } = request
    const timeoutMillis = Math.max(1, yield* millisUntil(request.deadline))
    const progress = (message: string) => tell({ _tag: "Progress", message })
    progress("Adding the worktree.")
    const added = yield* Effect.andThen(
      checkBranch(git, layout, record),
      addWorktree(git, layout, record, trusted, timeoutMillis)
    ).pipe(withRepositoryLock(layout.commonDir, context.lockWaitMillis))
    if (added.hookFailure !== undefined) progress(`A hook of the repository failed: ${added.hookFailure}`)
    if (!trusted) yield* checkOut(context, git, layout, record, timeoutMillis)
    const submodules = yield* fetchSubmodules(git, layout, record.path, trusted, timeoutMillis)
    if (submodules > 0) progress(`Fetched ${submodules} ${submodules === 1 ? "submodule" : "submodules"}.`)
    for (const message of yield* copyIncluded(git, layout, record.path, trusted, timeoutMillis)) progress(message)
    if (request.setup !== undefined && request.setup.commands.length > 0) {
      progress("Running the set-up commands.")
      yield* runSetup(context, request.workspaceId, record.path, request.setup, (text) => tell({ _tag: "SetupOutput", text }))
    }
  })

/** Makes a worktree, or finds the one that the same request made before. */
export const createWorktree = (
  context: HostContext,
  git: Git,
  records: WorktreeRecords,
  request: WorktreeRequest,
  tell: Tell
): Effect.Effect<void, WorktreeFailed | InvalidRequest> =>
  Effect.gen(function*() {
    const { workspaceId, projectId, branch, base } = request
    if (!uuid.test(workspaceId) || !uuid.test(projectId)) {
      return yield* new InvalidRequest({ message: "A workspace's and a project's id are UUIDs in lower case." })
    }
    const layout = yield* findRepository(context, git, request.repositoryPath)
    if (!(yield* acceptsBranch(git, layout, branch))) {
      return yield* new InvalidRequest({
        message: `${JSON.stringify(branch)} is not a branch name that Git accepts.`,
        hint: "Use letters, digits, dashes and single slashes, as in \"fix/login\"."
      })
    }
    const path = join(context.folders.worktrees, projectId, workspaceId)
    const withLock = withRepositoryLock(layout.commonDir, context.lockWaitMillis)
    const earlier = yield* Effect.promise(() => records.read(workspaceId))
    if (earlier?.state === "ready") {
      if (!(yield* Effect.promise(() => isOurs(context, workspaceId, earlier.path)))) {
        return yield* worktreeFailed("workspace", "The worktree was made before, and somebody removed it outside of the service.")
      }
      return tell({ _tag: "Ready", path: earlier.path, baseCommit: earlier.baseCommit })
    }
    if (earlier?.state === "removing") {
      return yield* worktreeFailed("workspace", "The worktree is being removed.")
    }
    if (earlier !== undefined) {
      yield* takeDown(context, git, layout, earlier).pipe(withLock)
      yield* untorn(() => records.remove(workspaceId))
    }
    if (yield* Effect.promise(() => lstat(path).then(() => true, () => false))) {
      return yield* worktreeFailed("workspace", `There is something at ${path} that this service does not know.`)
    }
    const baseCommit = yield* commitOf(git, layout, base)
    if (baseCommit === undefined) {
      return yield* worktreeFailed("workspace", `The repository has no branch, tag or commit ${JSON.stringify(base.slice(0, 200))}.`)
    }
    const remaining = yield* millisUntil(request.deadline)
    const late = worktreeFailed("timeout", "The worktree was not ready by its deadline.")
    if (remaining <= 0) return yield* late
    const record: WorktreeRecord = {
      workspaceId,
      state: "making",
      repositoryPath: layout.top,
      commonDir: layout.commonDir,
      path,
      branch,
      newBranch: !request.existingBranch,
      baseCommit
    }
    // A branch that was there before is no part of this creation, and none of it may be taken back.
    const before = request.existingBranch ? undefined : yield* refCommit(git, layout, `refs/heads/${branch}`)
    if (before !== undefined) return yield* worktreeFailed("workspace", `There is a branch "${branch}" already. Choose another name.`)
    const undo = takeDown(context, git, layout, record).pipe(
      withLock,
      Effect.andThen(untorn(() => records.remove(workspaceId))),
      // The record stays, so that the next attempt, or a removal, takes it back.
      Effect.catch((failure) => Effect.logError("A worktree that was not finished could not be taken back", failure))
    )
    yield* untorn(() => records.write(record)).pipe(
      Effect.andThen(make(context, git, layout, request, record, tell)),
      (self) => within(self, remaining, () => Effect.fail(late)),
      Effect.andThen(untorn(() => records.write({ ...record, state: "ready" }))),
      Effect.onExit((exit) => exit._tag === "Success" ? Effect.void : undo)
    )
    tell({ _tag: "Ready", path, baseCommit })
  }).pipe(Effect.mapError(asWorktreeFailed))
