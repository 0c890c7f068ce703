import { Effect } from "effect"
import type { Git } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { Layout } from "../git/layout.ts"
import { privateDirOf } from "../git/layout.ts"
import { refCommit } from "../git/refs.ts"
import type { HostContext } from "../host-context.ts"
import { removeFolder } from "../file/folder.ts"
import { isOurs } from "./place.ts"
import type { WorktreeRecord } from "./record.ts"
import { untorn } from "../file/untorn.ts"

/** Removes the files of a worktree, and what Git keeps of it. Only folders that are ours by their place are touched. */
export const removeFiles = (context: HostContext, layout: Layout, workspaceId: string, path: string) =>
  untorn(async () => {
    if (await isOurs(context, workspaceId, path)) await removeFolder(path)
    await removeFolder(privateDirOf(layout, workspaceId))
  })

/** Deletes a ref that still points at a commit. */
export const deleteRef = (git: Git, layout: Layout, ref: string, commit: string): Effect.Effect<void, GitFailed> =>
  Effect.asVoid(git.run({
    cwd: layout.commonDir,
    environment: { GIT_DIR: layout.commonDir },
    args: ["update-ref", "--no-deref", "-d", ref, commit]
  }))

export const rescueRefOf = (workspaceId: string): string => `refs/coppice/rescue/${workspaceId}`

/** Takes back a creation that did not come to its end. A commit that was made on the new branch is kept under a rescue ref. */
export const takeDown = (
  context: HostContext,
  git: Git,
  layout: Layout,
  record: WorktreeRecord
): Effect.Effect<void, GitFailed> =>
  Effect.gen(function*() {
    yield* removeFiles(context, layout, record.workspaceId, record.path)
    if (!record.newBranch) return
    const ref = `refs/heads/${record.branch}`
    const tip = yield* refCommit(git, layout, ref)
    if (tip === undefined) return
    if (tip !== record.baseCommit) {
      yield* git.run({
        cwd: layout.commonDir,
        environment: { GIT_DIR: layout.commonDir },
        args: ["update-ref", rescueRefOf(record.workspaceId), tip]
      })
    }
    yield* deleteRef(git, layout, ref, tip)
  })
