import { Effect } from "effect"
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { contentGit } from "../git/content-git.ts"
import type { Git } from "../git/git.ts"
import { fields, line } from "../git/git.ts"
import { GitFailed } from "../git/git-failed.ts"
import type { Layout } from "../git/layout.ts"
import { pinned, privateDirOf } from "../git/layout.ts"
import { configOf } from "../git/repository-config.ts"
import type { HostContext } from "../host-context.ts"
import { worktreeFailed } from "./failed.ts"
import type { WorktreeRecord } from "./record.ts"

/**
 * Adds the worktree to the repository. In a trusted project Git checks it out too, and its hooks run; in any other the
 * files come later, by a Git that reads nothing of the repository's configuration.
 */
export const addWorktree = (
  git: Git,
  layout: Layout,
  record: WorktreeRecord,
  trusted: boolean,
  timeoutMillis: number
): Effect.Effect<{ readonly hookFailure?: string }, GitFailed> =>
  Effect.gen(function*() {
    const branch = record.newBranch
      ? ["--no-track", "-b", record.branch, "--", record.path, record.baseCommit]
      : ["--", record.path, record.branch]
    const added = yield* Effect.exit(git.run({
      cwd: layout.top,
      trusted,
      timeoutMillis,
      args: ["worktree", "add", ...(trusted ? [] : ["--no-checkout"]), ...branch]
    }))
    if (added._tag === "Success") return {}
    const failure = added.cause.reasons.find((reason) => reason._tag === "Fail")?.error
    if (failure === undefined || failure.exitCode < 0) return yield* Effect.failCause(added.cause)
    // A hook that fails leaves a worktree behind that is whole; what failed before it is taken back by Git itself.
    const head = yield* git.run({
      cwd: layout.commonDir,
      environment: pinned(layout, privateDirOf(layout, record.workspaceId)),
      args: ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]
    }).pipe(Effect.map(line), Effect.orElseSucceed(() => ""))
    const there = yield* Effect.promise(() => lstat(join(record.path, ".git")).then(() => true, () => false))
    return there && head !== "" ? { hookFailure: failure.reason } : yield* failure
  })

/** The filters that a repository's files ask for and that only its own configuration defines. */
const ownFilters = (asked: ReadonlyArray<string>, entries: ReadonlyArray<{ operator: boolean; key: string }>) => {
  const defined = (name: string, operator: boolean) =>
    entries.some((entry) => entry.operator === operator && entry.key.startsWith(`filter.${name}.`))
  return asked.filter((name) => defined(name, false) && !defined(name, true))
}

/** Fills the worktree of an untrusted project. Fails when its files cannot be had without a program that the repository names. */
export const checkOut = (context: HostContext, git: Git, layout: Layout, record: WorktreeRecord, timeoutMillis: number) =>
  Effect.gen(function*() {
    const gitDir = privateDirOf(layout, record.workspaceId)
    const head = line(yield* git.run({
      cwd: layout.commonDir,
      environment: pinned(layout, gitDir),
      args: ["rev-parse", "--verify", "HEAD^{commit}"]
    }))
    const content = yield* contentGit(context, git, {
      workTree: record.path,
      gitDir,
      commonDir: layout.commonDir,
      trusted: false,
      head,
      index: join(gitDir, "index")
    })
    yield* content.run(["read-tree", head])
    const names = (yield* content.run(["ls-files", "-z"])).bytes
    const attributes = names.length === 0
      ? []
      : fields((yield* content.run(["check-attr", "--cached", "--stdin", "-z", "filter"], { input: names })).text)
    const asked = [...new Set(attributes.filter((_, position) => position % 3 === 2))]
    const entries = yield* configOf(git, layout.commonDir, { GIT_DIR: layout.commonDir })
    const own = ownFilters(asked, entries)
    if (own.length > 0) {
      return yield* worktreeFailed(
        "workspace",
        `The repository's files go through the filter ${own.map((name) => `"${name}"`).join(", ")}, which only its own Git configuration defines, ` +
          "and the project is not trusted to name programs. Mark the project as trusted (trusted: true), or define the filter in the Git configuration of the user who runs the service."
      )
    }
    yield* content.run(["reset", "--hard", "--quiet", "--no-recurse-submodules", head], { timeoutMillis })
  }).pipe(Effect.scoped)
