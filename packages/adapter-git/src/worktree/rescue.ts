import type { WorktreeRef } from "@coppice/core"
import { Effect } from "effect"
import { realpath } from "node:fs/promises"
import { join } from "node:path"
import type { ContentGit } from "../git/content-git.ts"
import type { Git } from "../git/git.ts"
import { line } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import { refCommit } from "../git/refs.ts"
import type { HostContext } from "../host-context.ts"
import { withIndexCopy } from "./index-copy.ts"
import { gitlinks } from "./nested.ts"
import type { Place } from "./place.ts"
import { rescueRefOf } from "./take-down.ts"

const identity = {
  GIT_AUTHOR_NAME: "Coppice",
  GIT_AUTHOR_EMAIL: "coppice@localhost",
  GIT_COMMITTER_NAME: "Coppice",
  GIT_COMMITTER_EMAIL: "coppice@localhost"
}

/** Stores all files of a repository inside the worktree as plain files of the rescue: its own objects go with it. */
const addNested = (context: HostContext, git: Git, content: ContentGit, place: Place, path: string, trusted: boolean) =>
  Effect.gen(function*() {
    const folder = join(place.path, path)
    if ((yield* Effect.promise(() => realpath(folder).catch(() => ""))) !== folder) return
    const tree = yield* Effect.gen(function*() {
      // The outer repository stores them, with an index of their own that starts empty.
      const inner = yield* withIndexCopy(context, git, place, trusted, folder)
      yield* inner.run(["read-tree", "--empty"])
      return yield* storeAll(context, git, inner, { ...place, path: folder }, trusted)
    }).pipe(Effect.scoped)
    yield* content.run(["update-index", "--force-remove", "-z", "--stdin"], { input: `${path}\0` })
    yield* content.run(["read-tree", `--prefix=${path}/`, tree])
  })

/** Stores everything in a working tree that is not ignored, and answers the tree. */
const storeAll = (
  context: HostContext,
  git: Git,
  content: ContentGit,
  place: Place,
  trusted: boolean
): Effect.Effect<string, GitFailed> =>
  Effect.gen(function*() {
    yield* content.run(["add", "--all", "--sparse", "--", "."], {
      config: ["advice.addEmbeddedRepo=false", "core.safecrlf=false"],
      timeoutMillis: Math.max(context.gitTimeoutMillis, 600_000)
    })
    for (const path of yield* gitlinks(content)) yield* addNested(context, git, content, place, path, trusted)
    return line(yield* content.run(["write-tree"]))
  })

/**
 * Keeps all work of a worktree in a commit under its rescue ref: what is staged, what is changed, what is new, those
 * files of repositories inside of it too, on top of its HEAD and its branch. Ignored files are not work.
 */
export const rescue = (
  context: HostContext,
  git: Git,
  place: Place,
  worktree: WorktreeRef
): Effect.Effect<string, GitFailed> =>
  Effect.gen(function*() {
    const ref = rescueRefOf(worktree.workspaceId)
    const content = yield* withIndexCopy(context, git, place, worktree.trusted)
    const commit = (message: string, tree: string, parents: ReadonlyArray<string>) =>
      content.run(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])], { input: message, environment: identity })
        .pipe(Effect.map(line))
    const tip = yield* refCommit(git, place.layout, `refs/heads/${worktree.branch}`)
    const parents = [place.headCommit, ...(tip === undefined || tip === place.headCommit ? [] : [tip])]
    // A merge that is not resolved has no tree; its files are stored with the rest.
    const staged = yield* content.run(["write-tree"]).pipe(Effect.map(line), Effect.orElseSucceed(() => undefined))
    const stagedCommit = staged === undefined ? undefined : yield* commit("What was staged\n", staged, [place.headCommit])
    const tree = yield* storeAll(context, git, content, place, worktree.trusted)
    const message = `Rescued from workspace ${worktree.workspaceId}\n\nBranch: ${worktree.branch}\nBase: ${worktree.baseCommit}\n`
    const rescued = yield* commit(message, tree, [...parents, ...(stagedCommit === undefined ? [] : [stagedCommit])])
    yield* git.run({
      cwd: place.layout.commonDir,
      trusted: worktree.trusted,
      environment: { GIT_DIR: place.layout.commonDir },
      args: ["update-ref", "--create-reflog", "-m", "coppice: rescue", ref, rescued]
    })
    return ref
  }).pipe(Effect.scoped)
