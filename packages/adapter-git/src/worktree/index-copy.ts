import { Effect, Scope } from "effect"
import { copyFile, lstat, utimes } from "node:fs/promises"
import { join } from "node:path"
import type { ContentGit } from "../git/content-git.ts"
import { contentGit } from "../git/content-git.ts"
import type { Git } from "../git/git.ts"
import { fields } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { HostContext } from "../host-context.ts"
import type { Place } from "./place.ts"
import { untorn } from "../file/untorn.ts"

/**
 * Git on a worktree with a copy of its index, so that looking changes nothing. Bits that hide a change from Git are
 * taken off the copy: what an agent marked as unchanged is not lost for that.
 */
export const withIndexCopy = (
  context: HostContext,
  git: Git,
  place: Place,
  trusted: boolean,
  workTree = place.path
): Effect.Effect<ContentGit, GitFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* contentGit(context, git, {
      workTree,
      gitDir: place.gitDir,
      commonDir: place.layout.commonDir,
      trusted,
      head: place.headCommit,
      index: ""
    })
    const index = join(scope.scratch, "index")
    const content: ContentGit = {
      ...scope,
      run: (args, options) =>
        scope.run(args, { ...options, environment: { ...options?.environment, GIT_INDEX_FILE: index } })
    }
    const copied = yield* untorn(async () => {
      const source = join(place.gitDir, "index")
      const found = await lstat(source).catch(() => undefined)
      if (found?.isFile() !== true) return false
      await copyFile(source, index)
      // Git takes a file for unchanged by its times when it is older than the index. The copy must not look newer.
      const seconds = Math.floor(found.mtimeMs / 1000) - 1
      await utimes(index, seconds, seconds)
      return true
    })
    if (!copied) yield* content.run(["read-tree", place.headCommit])
    const flagged = fields((yield* content.run(["ls-files", "-v", "-z"])).text).filter((row) => /^[a-zS] /.test(row))
    const there = yield* Effect.promise(() =>
      Promise.all(flagged.map((row) => lstat(join(workTree, row.slice(2))).then(() => true, () => /^[a-rt-z]/.test(row))))
    )
    const names = flagged.filter((_, position) => there[position]).map((row) => row.slice(2))
    if (names.length > 0) {
      const input = names.map((name) => `${name}\0`).join("")
      for (const bit of ["--no-assume-unchanged", "--no-skip-worktree"]) {
        yield* content.run(["update-index", bit, "-z", "--stdin"], { input })
      }
    }
    return content
  })
