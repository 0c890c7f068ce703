import { Effect } from "effect"
import { realpath } from "node:fs/promises"
import { join } from "node:path"
import type { Git } from "./git.ts"
import { line } from "./git.ts"
import type { GitFailed } from "./git-failed.ts"

/** Where a repository keeps what. Links are resolved. */
export interface Layout {
  /** The working tree that was asked for. */
  readonly top: string
  /** What all of its worktrees share. */
  readonly commonDir: string
}

/** Asks Git where the repository at a folder is. */
export const layoutOf = (git: Git, folder: string): Effect.Effect<Layout, GitFailed> =>
  Effect.gen(function*() {
    const ask = (option: string) =>
      git.run({ cwd: folder, args: ["rev-parse", "--path-format=absolute", option] }).pipe(
        Effect.flatMap((output) => Effect.promise(() => realpath(line(output))))
      )
    return { top: yield* ask("--show-toplevel"), commonDir: yield* ask("--git-common-dir") }
  })

/** The folder in which Git keeps what is one worktree's own. Ours are named for their workspace, whatever is written in them. */
export const privateDirOf = (layout: Layout, workspaceId: string): string => join(layout.commonDir, "worktrees", workspaceId)

/** Names a worktree's repository outright, so that no file that an agent can edit decides where Git looks. */
export const pinned = (layout: Layout, gitDir: string): Record<string, string> => ({
  GIT_DIR: gitDir,
  GIT_COMMON_DIR: layout.commonDir
})
