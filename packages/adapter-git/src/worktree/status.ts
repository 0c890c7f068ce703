import type { Conflict, WorktreeRef, WorktreeStatus } from "@coppice/core"
import { Effect } from "effect"
import type { Git } from "../git/git.ts"
import { line } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import { refCommit } from "../git/refs.ts"
import type { HostContext } from "../host-context.ts"
import { withIndexCopy } from "./index-copy.ts"
import { nestedRepositories } from "./nested.ts"
import type { Place } from "./place.ts"
import { findPlace } from "./place.ts"

/** How many commits of a worktree's HEAD, and of its branch, nothing else holds. */
export const countUnmerged = (
  git: Git,
  place: Place,
  branch: string,
  baseCommit: string
): Effect.Effect<number, GitFailed> =>
  Effect.gen(function*() {
    const tip = yield* refCommit(git, place.layout, `refs/heads/${branch}`)
    const base = /^[0-9a-f]{40,64}$/.test(baseCommit) ? [baseCommit] : []
    const count = yield* git.run({
      cwd: place.layout.commonDir,
      environment: { GIT_DIR: place.layout.commonDir },
      args: [
        "rev-list",
        "--count",
        place.headCommit,
        ...(tip === undefined ? [] : [tip]),
        "--not",
        ...base,
        `--exclude=${branch.replace(/[*?[\\]/g, "\\$&")}`,
        "--branches",
        "--remotes"
      ]
    })
    return Number(line(count))
  })

/** What of a worktree would be lost with it. */
export const examine = (context: HostContext, git: Git, place: Place, worktree: WorktreeRef) =>
  Effect.gen(function*() {
    const content = yield* withIndexCopy(context, git, place, worktree.trusted)
    const changes = yield* content.run([
      "status",
      "--porcelain=v1",
      "-z",
      "--untracked-files=normal",
      "--ignore-submodules=dirty",
      "--no-renames"
    ])
    const nested = yield* nestedRepositories(context, git, content, place, worktree.trusted)
    return {
      changedFiles: changes.text === "" ? 0 : changes.text.split("\0").length - 1,
      nestedChanged: nested.filter(({ changed }) => changed).map(({ path }) => path),
      nestedUnpushed: nested.filter(({ unpushedCommits }) => unpushedCommits > 0).map(({ path }) => path),
      unmergedCommits: yield* countUnmerged(git, place, worktree.branch, worktree.baseCommit)
    }
  }).pipe(Effect.scoped)

/** The state of a worktree. */
export const worktreeStatus = (
  context: HostContext,
  git: Git,
  worktree: WorktreeRef
): Effect.Effect<WorktreeStatus, Conflict | GitFailed> =>
  Effect.gen(function*() {
    const place = yield* findPlace(context, git, worktree)
    const found = yield* examine(context, git, place, worktree)
    return {
      dirty: found.changedFiles > 0 || found.nestedChanged.length > 0,
      unmergedCommits: found.unmergedCommits,
      headCommit: place.headCommit
    }
  })
