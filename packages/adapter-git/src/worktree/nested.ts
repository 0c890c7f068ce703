import { Effect } from "effect"
import { lstat, readFile, realpath } from "node:fs/promises"
import { join, resolve } from "node:path"
import type { ContentGit } from "../git/content-git.ts"
import type { Git } from "../git/git.ts"
import { fields, line } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { HostContext } from "../host-context.ts"
import { isUnder } from "../file/containment.ts"
import { withIndexCopy } from "./index-copy.ts"
import type { Place } from "./place.ts"

/** A repository inside a worktree: a submodule, or one that an agent made or cloned there. */
export interface NestedRepository {
  readonly path: string
  /** Something in it differs from its last commit, or cannot be looked at. */
  readonly changed: boolean
  /** Commits that no remote of it has. */
  readonly unpushedCommits: number
}

/** The folder of a nested repository, when it is where such a folder can be: in it, or among the worktree's submodules. */
const nestedGitDir = async (place: Place, folder: string): Promise<string | undefined> => {
  const dotGit = join(folder, ".git")
  const found = await lstat(dotGit).catch(() => undefined)
  if (found?.isDirectory()) return dotGit
  if (found?.isFile() !== true || found.size > 10_000) return undefined
  const pointer = /^gitdir: (.+?)\n?$/s.exec(await readFile(dotGit, "utf8"))?.[1]
  if (pointer === undefined) return undefined
  const gitDir = await realpath(resolve(folder, pointer)).catch(() => undefined)
  return gitDir !== undefined && isUnder(join(place.gitDir, "modules"), gitDir) ? gitDir : undefined
}

/** Populated submodules, by the index. Repositories that are not in it are untracked files to Git, and show as such. */
export const gitlinks = (content: ContentGit): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.map(content.run(["ls-files", "--stage", "-z"]), ({ text }) =>
    [...new Set(fields(text).filter((row) => row.startsWith("160000 ")).map((row) => row.slice(row.indexOf("\t") + 1)))])

/** The repositories inside a worktree, each looked at as the worktree itself is. */
export const nestedRepositories = (
  context: HostContext,
  git: Git,
  content: ContentGit,
  place: Place,
  trusted: boolean,
  depth = 0
): Effect.Effect<ReadonlyArray<NestedRepository>, GitFailed> =>
  Effect.gen(function*() {
    const found: Array<NestedRepository> = []
    for (const path of yield* gitlinks(content)) {
      const folder = join(place.path, path)
      const populated = yield* Effect.promise(async () =>
        await realpath(folder).catch(() => "") === folder && await lstat(join(folder, ".git")).then(() => true, () => false)
      )
      if (!populated) continue
      const unknown: NestedRepository = { path, changed: true, unpushedCommits: 0 }
      const gitDir = yield* Effect.promise(() => nestedGitDir(place, folder))
      if (gitDir === undefined || depth > 8) {
        found.push(unknown)
        continue
      }
      found.push(
        yield* Effect.gen(function*() {
          const ask = (...args: ReadonlyArray<string>) =>
            git.run({ cwd: gitDir, environment: { GIT_DIR: gitDir, GIT_COMMON_DIR: gitDir }, args }).pipe(Effect.map(line))
          const headCommit = yield* ask("rev-parse", "--verify", "HEAD^{commit}")
          const unpushed = Number(yield* ask("rev-list", "--count", "HEAD", "--branches", "--not", "--remotes"))
          const inner: Place = { path: folder, layout: { top: folder, commonDir: gitDir }, gitDir, headCommit }
          const innerContent = yield* withIndexCopy(context, git, inner, trusted)
          const changes = yield* innerContent.run(["status", "--porcelain=v1", "-z", "--ignore-submodules=dirty"])
          const deeper = yield* nestedRepositories(context, git, innerContent, inner, trusted, depth + 1)
          return {
            path,
            changed: changes.text !== "" || deeper.some(({ changed }) => changed),
            unpushedCommits: deeper.reduce((sum, each) => sum + each.unpushedCommits, unpushed)
          }
        }).pipe(Effect.scoped, Effect.orElseSucceed(() => unknown))
      )
    }
    return found
  })
