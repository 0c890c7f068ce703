import { BranchName } from "@coppice/core"
import { Effect, Schema } from "effect"
import type { Git } from "./git.ts"
import { line } from "./git.ts"
import type { GitFailed } from "./git-failed.ts"
import type { Layout } from "./layout.ts"

const isBranchName = Schema.is(BranchName)

/** Whether core's rules and Git's own both take it for a branch's name. */
export const acceptsBranch = (git: Git, layout: Layout, name: string): Effect.Effect<boolean> =>
  isBranchName(name)
    ? git.run({ cwd: layout.commonDir, args: ["check-ref-format", "--branch", name] }).pipe(
      Effect.map((output) => line(output) === name),
      Effect.orElseSucceed(() => false)
    )
    : Effect.succeed(false)

/** The commit that a name stands for; a branch of that name goes before a tag. */
export const commitOf = (git: Git, layout: Layout, name: string): Effect.Effect<string | undefined, GitFailed> =>
  Effect.gen(function*() {
    // eslint-disable-next-line no-control-regex
    if (name === "" || /[\u0000-\u001f\u007f]/.test(name)) return undefined
    const candidates = isBranchName(name) ? [`refs/heads/${name}`, name] : [name]
    for (const candidate of candidates) {
      const found = yield* git.run({
        cwd: layout.commonDir,
        environment: { GIT_DIR: layout.commonDir },
        args: ["rev-parse", "--verify", "--quiet", "--end-of-options", `${candidate}^{commit}`]
      }).pipe(Effect.map(line), Effect.catchTag("GitFailed", (failure) =>
        failure.exitCode > 0 ? Effect.succeed("") : Effect.fail(failure)))
      if (/^[0-9a-f]{40,64}$/.test(found)) return found
    }
    return undefined
  })

/** The commit that a ref points at, if it is there. */
export const refCommit = (git: Git, layout: Layout, ref: string): Effect.Effect<string | undefined> =>
  git.run({
    cwd: layout.commonDir,
    environment: { GIT_DIR: layout.commonDir },
    args: ["for-each-ref", "--format=%(refname)%00%(objectname)", "--", ref]
  }).pipe(
    Effect.map(({ text }) =>
      text.split("\n").map((row) => row.split("\0")).find(([name]) => name === ref)?.[1]
    ),
    Effect.orElseSucceed(() => undefined)
  )

/** Where a branch is checked out, if it is. */
export const checkedOutAt = (git: Git, layout: Layout, branch: string): Effect.Effect<string | undefined, GitFailed> =>
  Effect.map(worktreesOf(git, layout), (all) => all.find((worktree) => worktree.branch === branch)?.path)

/** What Git knows of a repository's worktrees, its own among them. */
export const worktreesOf = (git: Git, layout: Layout) =>
  git.run({
    cwd: layout.commonDir,
    environment: { GIT_DIR: layout.commonDir },
    args: ["worktree", "list", "--porcelain", "-z"]
  }).pipe(Effect.map(({ text }) =>
    text.split("\0\0").flatMap((block) => {
      const rows = new Map(block.split("\0").map((row) => {
        const space = row.indexOf(" ")
        return space < 0 ? [row, ""] as const : [row.slice(0, space), row.slice(space + 1)] as const
      }))
      const path = rows.get("worktree")
      const branch = rows.get("branch")?.replace(/^refs\/heads\//, "")
      return path === undefined ? [] : [{ path, head: rows.get("HEAD") ?? "", ...(branch !== undefined && { branch }) }]
    })
  ))
