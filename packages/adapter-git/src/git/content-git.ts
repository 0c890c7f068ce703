import { Effect, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { copyFile, lstat, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { HostContext } from "../host-context.ts"
import type { Git, GitCall, GitOutput } from "./git.ts"
import type { GitFailed } from "./git-failed.ts"
import { configOf, harmlessConfig } from "./repository-config.ts"
import { untorn } from "../file/untorn.ts"

/** A working tree and the repository that it belongs to. */
export interface ContentPlace {
  readonly workTree: string
  /** The folder that holds its HEAD and index. */
  readonly gitDir: string
  readonly commonDir: string
  readonly trusted: boolean
  /** The commit that is to be its HEAD. */
  readonly head: string
  readonly index: string
}

export interface ContentGit {
  run(args: ReadonlyArray<string>, options?: Pick<GitCall, "input" | "maxBytes" | "config" | "timeoutMillis" | "environment">): Effect.Effect<GitOutput, GitFailed>
  /** A folder that is gone when the scope ends. */
  readonly scratch: string
}

const isSmallFile = (path: string): Promise<boolean> =>
  lstat(path).then((found) => found.isFile() && found.size <= 1024 * 1024, () => false)

const copyRules = async (commonDir: string, folder: string): Promise<void> => {
  await mkdir(join(folder, "info"), { recursive: true })
  for (const name of ["attributes", "exclude"]) {
    const source = join(commonDir, "info", name)
    if (await isSmallFile(source)) await copyFile(source, join(folder, "info", name))
  }
}

/**
 * Git for what reads or writes the content of files, where filters, text conversions and other programs that a
 * configuration names would run.
 *
 * In a trusted project that is Git as it is. Else it is Git with a repository folder of ours, that borrows the objects
 * and takes over of the repository's configuration only what names no program: the rest is never read, so that nothing
 * that it says, or comes to say while Git runs, has any effect. What the operator's own configuration names applies.
 */
export const contentGit = (
  context: HostContext,
  git: Git,
  place: ContentPlace
): Effect.Effect<ContentGit, GitFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const { trusted, workTree, commonDir } = place
    const scratch = join(context.folders.quarantine, randomUUID())
    yield* Effect.acquireRelease(
      untorn(() => mkdir(scratch, { mode: 0o700 })),
      () => untorn(() => rm(scratch, { recursive: true, force: true }))
    )
    const own = { GIT_DIR: place.gitDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: place.index }
    let environment: Record<string, string> = own
    if (!trusted) {
      const entries = yield* configOf(git, context.folders.quarantine, { GIT_DIR: commonDir })
      const folder = join(scratch, "git")
      yield* untorn(async () => {
        await mkdir(join(folder, "refs"), { recursive: true })
        await mkdir(join(folder, "objects"), { recursive: true })
        await copyRules(commonDir, folder)
        await writeFile(join(folder, "config"), harmlessConfig(entries, commonDir))
        await writeFile(join(folder, "HEAD"), `${place.head}\n`)
      })
      environment = {
        GIT_DIR: folder,
        GIT_WORK_TREE: workTree,
        GIT_INDEX_FILE: place.index,
        GIT_OBJECT_DIRECTORY: join(commonDir, "objects"),
        GIT_SHALLOW_FILE: join(commonDir, "shallow")
      }
    }
    return {
      scratch,
      run: (args, options) =>
        git.run({ cwd: workTree, args, trusted, network: true, ...options, environment: { ...environment, ...options?.environment } })
    }
  })
