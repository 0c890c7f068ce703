import { Effect } from "effect"
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import type { Git } from "../git/git.ts"
import { fields } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import { transportOf } from "../git/url.ts"
import type { WorktreeFailed } from "@coppice/core"
import { worktreeFailed } from "./failed.ts"

/** Relative URLs are resolved by Git against the remote's, and held to the same protocols. */
const isRelative = (url: string): boolean => /^\.{1,2}\//.test(url)

/**
 * Fetches the submodules of a fresh worktree, over https and ssh only. They are new clones with a configuration of
 * their own, so that nothing of the repository's applies in them; `--checkout` keeps what it says of updating from running.
 */
export const fetchSubmodules = (
  git: Git,
  path: string,
  trusted: boolean,
  timeoutMillis: number
): Effect.Effect<number, WorktreeFailed | GitFailed> =>
  Effect.gen(function*() {
    const file = join(path, ".gitmodules")
    const found = yield* Effect.promise(() => lstat(file).catch(() => undefined))
    if (found === undefined) return 0
    if (!found.isFile()) return yield* worktreeFailed("workspace", "Its .gitmodules is no regular file.")
    const rows = fields((yield* git.run({ cwd: path, trusted, args: ["config", "--file", file, "--list", "-z"] })).text)
    const urls = rows.filter((row) => /^submodule\..*\.url\n/s.test(row)).map((row) => row.slice(row.indexOf("\n") + 1))
    const refused = urls.find((url) => !isRelative(url) && transportOf(url) === undefined)
    if (refused !== undefined) {
      return yield* worktreeFailed(
        "workspace",
        `Its submodule at ${JSON.stringify(refused.slice(0, 200))} cannot be fetched: submodules come over https or ssh only.`
      )
    }
    if (urls.length === 0) return 0
    yield* git.run({
      cwd: path,
      trusted,
      network: true,
      timeoutMillis,
      environment: { GIT_ALLOW_PROTOCOL: "https:ssh" },
      args: ["submodule", "update", "--init", "--recursive", "--checkout"]
    }).pipe(Effect.mapError((failure) =>
      failure.exitCode < 0
        ? failure
        : worktreeFailed("workspace", `Its submodules could not be fetched: ${failure.reason}`)
    ))
    return urls.length
  })
