import type { WorktreeRef } from "@coppice/core"
import { Conflict } from "@coppice/core"
import { Effect } from "effect"
import { lstat, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import type { Git } from "../git/git.ts"
import { line } from "../git/git.ts"
import type { Layout } from "../git/layout.ts"
import { commitOf } from "../git/refs.ts"
import { layoutOf, pinned, privateDirOf } from "../git/layout.ts"
import type { HostContext } from "../host-context.ts"
import { isUnder } from "../file/containment.ts"
import { untorn } from "../file/untorn.ts"

/** A worktree of ours that is there, and where its parts are. */
export interface Place {
  readonly path: string
  readonly layout: Layout
  readonly gitDir: string
  readonly headCommit: string
}

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then((found) => found.isDirectory(), () => false)

/** Whether a path is where a workspace's worktree of this host is, and a folder of its own, no link. */
export const isOurs = async (context: HostContext, workspaceId: string, path: string): Promise<boolean> => {
  if (basename(path) !== workspaceId || !isUnder(context.folders.worktrees, path)) return false
  return await isFolder(path) && await realpath(path) === path
}

/** The repository of a worktree, wherever its main working tree is by now. */
export const repositoryOf = (git: Git, repositoryPath: string) =>
  layoutOf(git, repositoryPath).pipe(Effect.mapError((failure) =>
    new Conflict({ message: `The repository of the workspace cannot be read: ${failure.reason}` })
  ), Effect.catchDefect(() =>
    new Conflict({ message: "The repository of the workspace is not there any more.", hint: "Put it back, or delete the project." })
  ))

/** Where Git keeps what a worktree shares, as it writes it itself; an agent could have had it look elsewhere. */
const repairCommonDir = async (gitDir: string): Promise<void> => {
  const file = join(gitDir, "commondir")
  const written = (await lstat(file).catch(() => undefined))?.isFile() === true ? await readFile(file, "utf8") : ""
  if (written.trim() === "../..") return
  await rm(file, { recursive: true, force: true })
  await writeFile(file, "../..\n", { flag: "wx" })
}

/** Finds a worktree. Nothing that is written inside of it is believed: where it belongs follows from its workspace's id. */
export const findPlace = (context: HostContext, git: Git, worktree: WorktreeRef): Effect.Effect<Place, Conflict> =>
  Effect.gen(function*() {
    const gone = new Conflict({
      message: "The worktree of the workspace is not there any more.",
      hint: "Somebody removed it outside of the service: delete the workspace."
    })
    if (!(yield* Effect.promise(() => isOurs(context, worktree.workspaceId, worktree.path)))) return yield* gone
    const layout = yield* repositoryOf(git, worktree.repositoryPath)
    const gitDir = privateDirOf(layout, worktree.workspaceId)
    if (!(yield* Effect.promise(() => isFolder(gitDir)))) return yield* gone
    yield* untorn(() => repairCommonDir(gitDir))
    const headCommit = yield* git.run({
      cwd: layout.commonDir,
      environment: pinned(layout, gitDir),
      args: ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"]
    }).pipe(
      Effect.map(line),
      // A HEAD without a commit, or a broken one: the branch, or the base, is what is left to compare with.
      Effect.catch(() => commitOf(git, layout, worktree.branch)),
      Effect.flatMap((commit) => commit === undefined ? commitOf(git, layout, worktree.baseCommit) : Effect.succeed(commit)),
      Effect.orElseSucceed(() => undefined)
    )
    if (headCommit === undefined) {
      return yield* new Conflict({ message: "The repository has lost the commits that the workspace is based on." })
    }
    return { path: worktree.path, layout, gitDir, headCommit }
  })
