import type { WorktreeFailed } from "@coppice/core"
import { Effect } from "effect"
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import type { Git } from "../git/git.ts"
import { fields } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { Layout } from "../git/layout.ts"
import { configOf } from "../git/repository-config.ts"
import { resolveUrl, transportOf } from "../git/url.ts"
import { worktreeFailed } from "./failed.ts"

interface Submodule {
  readonly name: string
  readonly url: string
}

/** The submodules that a checked-out `.gitmodules` names. */
const submodulesOf = (git: Git, path: string, trusted: boolean) =>
  Effect.gen(function*() {
    const file = join(path, ".gitmodules")
    const found = yield* Effect.promise(() => lstat(file).catch(() => undefined))
    if (found === undefined) return []
    if (!found.isFile()) return yield* worktreeFailed("workspace", "Its .gitmodules is no regular file.")
    const rows = fields((yield* git.run({ cwd: path, trusted, args: ["config", "--file", file, "--list", "-z"] })).text)
    return rows.flatMap((row): ReadonlyArray<Submodule> => {
      const found = /^submodule\.(.+)\.url\n(.*)$/s.exec(row)
      return found === null ? [] : [{ name: found[1]!, url: found[2]! }]
    })
  })

/** Settings by environment: unlike those on the command line, their names may hold an equals sign. */
const asEnvironment = (settings: ReadonlyArray<readonly [key: string, value: string]>): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value]
  ]))
})

/**
 * Fetches the submodules of a fresh worktree, over https and ssh only. They are new clones with a configuration of
 * their own, so that nothing of the repository's applies in them; where they come from is told to Git for this call, so
 * that it writes nothing into the configuration that all worktrees share.
 */
export const fetchSubmodules = (
  git: Git,
  layout: Layout,
  path: string,
  trusted: boolean,
  timeoutMillis: number
): Effect.Effect<number, WorktreeFailed | GitFailed> =>
  Effect.gen(function*() {
    const named = yield* submodulesOf(git, path, trusted)
    if (named.length === 0) return 0
    const entries = yield* configOf(git, layout.commonDir, { GIT_DIR: layout.commonDir })
    const valueOf = (key: string) => entries.findLast((entry) => entry.key === key)?.value
    const settings: Array<readonly [string, string]> = [["submodule.active", ":/"]]
    for (const { name, url } of named) {
      const base = valueOf("remote.origin.url") ?? layout.top
      const resolved = (trusted ? valueOf(`submodule.${name}.url`) : undefined) ??
        (/^\.\.?\//.test(url) ? resolveUrl(base, url) : url)
      if (transportOf(resolved) === undefined) {
        return yield* worktreeFailed(
          "workspace",
          `Its submodule ${JSON.stringify(name)} at ${JSON.stringify(url.slice(0, 200))} cannot be fetched: submodules come over https or ssh only.`
        )
      }
      settings.push([`submodule.${name}.url`, resolved], [`submodule.${name}.update`, "checkout"])
    }
    const call = { trusted, network: true, timeoutMillis }
    const failed = Effect.mapError((failure: GitFailed) =>
      failure.exitCode < 0 ? failure : worktreeFailed("workspace", `Its submodules could not be fetched: ${failure.reason}`)
    )
    const update = ["submodule", "update", "--init", "--checkout"]
    const overNetwork = { GIT_ALLOW_PROTOCOL: "https:ssh" }
    yield* git.run({ ...call, cwd: path, environment: { ...overNetwork, ...asEnvironment(settings) }, args: update }).pipe(failed)
    // Theirs are set in their own configuration, which belongs to this worktree alone.
    const within = fields((yield* git.run({ ...call, cwd: path, args: ["ls-files", "--stage", "-z"] })).text)
      .filter((row) => row.startsWith("160000 "))
      .map((row) => join(path, row.slice(row.indexOf("\t") + 1)))
    for (const folder of within) {
      const deeper = yield* Effect.promise(() => lstat(join(folder, ".gitmodules")).then(() => true, () => false))
      if (deeper) yield* git.run({ ...call, cwd: folder, environment: overNetwork, args: [...update, "--recursive"] }).pipe(failed)
    }
    return named.length
  })
