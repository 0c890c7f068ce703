import type { Repository } from "@coppice/core"
import { InvalidRequest } from "@coppice/core"
import { Effect } from "effect"
import { realpath, stat } from "node:fs/promises"
import { isAbsolute, resolve } from "node:path"
import type { Git } from "../git/git.ts"
import { line } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { Layout } from "../git/layout.ts"
import { layoutOf } from "../git/layout.ts"
import type { HostContext } from "../host-context.ts"
import { isUnder } from "../file/containment.ts"

const refuse = (message: string, hint?: string) => new InvalidRequest({ message, ...(hint !== undefined && { hint }) })

const asGitSays = (path: string) => (failure: GitFailed): InvalidRequest => {
  if (failure.stderr.includes("dubious ownership")) {
    return refuse(
      `The repository at ${path} belongs to another user, and Git refuses to use it.`,
      `Run "git config --global --add safe.directory <path>" as the user who runs the service, if it is to be trusted.`
    )
  }
  return failure.exitCode === 128 && failure.stderr.includes("not a git repository")
    ? refuse(`There is no Git repository at ${path}.`, "Give the top folder of a working tree, or make one with git init.")
    : refuse(`The repository at ${path} cannot be read: ${failure.reason}`)
}

const rootsOf = (context: HostContext) =>
  Effect.promise(async () => {
    const roots = [...context.roots, context.folders.repositories]
    const real = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))
    return { named: roots, real: real.filter((root) => root !== undefined) }
  })

/** A path under the roots, its links resolved; whether one outside is there at all is not told. */
const resolveUnderRoots = (context: HostContext, path: string) =>
  Effect.gen(function*() {
    const hint = context.roots.length === 0
      ? "The host allows no folder: name some in \"repositoryRoots\" of its configuration file."
      : `Give one under ${context.roots.join(" or ")}, or add its folder to "repositoryRoots" of the host's configuration file.`
    const outside = refuse(`${path} is outside the folders that hold repositories on this host.`, hint)
    if (!isAbsolute(path) || path.includes("\0")) {
      return yield* refuse(`"${path}" is not an absolute path.`, "Give the path from the root of the host's file system.")
    }
    const roots = yield* rootsOf(context)
    const real = yield* Effect.promise(() => realpath(path).catch(() => undefined))
    if (real === undefined) {
      const named = [...roots.named, ...roots.real].some((root) => isUnder(root, resolve(path)))
      return yield* named ? refuse(`There is nothing at ${path}.`, "Check the path on the host.") : outside
    }
    if (!roots.real.some((root) => isUnder(root, real))) return yield* outside
    if (!(yield* Effect.promise(() => stat(real))).isDirectory()) {
      return yield* refuse(`${path} is not a folder.`, "Give the top folder of a repository's working tree.")
    }
    return { real, isAllowed: (other: string) => roots.real.some((root) => isUnder(root, other)), outside }
  })

/** The repository at a path under the roots. */
export const findRepository = (context: HostContext, git: Git, path: string): Effect.Effect<Layout, InvalidRequest> =>
  Effect.gen(function*() {
    const { real, isAllowed, outside } = yield* resolveUnderRoots(context, path)
    const bare = yield* git.run({ cwd: real, args: ["rev-parse", "--is-bare-repository"] }).pipe(
      Effect.mapError(asGitSays(path))
    )
    if (line(bare) === "true") {
      return yield* refuse(`The repository at ${path} is bare.`, "Give one with a working tree: clone it without --bare.")
    }
    const layout = yield* layoutOf(git, real).pipe(Effect.mapError((failure) =>
      failure.stderr.includes("must be run in a work tree")
        ? refuse(`${path} is inside a Git folder.`, "Give the top folder of the working tree.")
        : asGitSays(path)(failure)
    ))
    return isAllowed(layout.top) ? layout : yield* outside
  })

/** The repository at a path, and the branch that work usually starts from. */
export const inspectRepository = (
  context: HostContext,
  git: Git,
  path: string
): Effect.Effect<Repository, InvalidRequest> =>
  Effect.gen(function*() {
    const layout = yield* findRepository(context, git, path)
    const ask = (...args: ReadonlyArray<string>) =>
      git.run({ cwd: layout.top, args }).pipe(Effect.map(line), Effect.orElseSucceed(() => ""))
    if ((yield* ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")) === "") {
      return yield* refuse(`The repository at ${path} has no commit yet.`, "Make a first commit: worktrees start from one.")
    }
    const current = yield* ask("symbolic-ref", "--quiet", "--short", "HEAD")
    const remote = yield* ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    const any = yield* ask("for-each-ref", "--count=1", "--sort=-committerdate", "--format=%(refname:short)", "refs/heads")
    const defaultBranch = current || remote.replace(/^origin\//, "") || any
    if (defaultBranch === "") {
      return yield* refuse(`The repository at ${path} has no branch.`, "Make one: git switch -c main")
    }
    return { path: layout.top, defaultBranch }
  })
