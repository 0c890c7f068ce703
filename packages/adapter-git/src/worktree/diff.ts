import type { ChangedFile, Conflict, WorktreeRef } from "@coppice/core"
import { Effect } from "effect"
import type { ContentGit } from "../git/content-git.ts"
import type { Git } from "../git/git.ts"
import { fields } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { HostContext } from "../host-context.ts"
import { withIndexCopy } from "./index-copy.ts"
import { findPlace } from "./place.ts"

/** What is larger is told as binary, and not read. */
const bigFile = "core.bigFileThreshold=16m"

const how = ["--no-ext-diff", "--no-textconv", "--no-color", "-M", "--ignore-submodules=dirty"]

/**
 * Puts what Git does not track into the index copy, with no content: a difference against the working tree reads it
 * from there, so that nothing has to be stored for a look.
 */
const addUntracked = (content: ContentGit) =>
  Effect.gen(function*() {
    const emptyBlob = (yield* content.run(["hash-object", "-t", "blob", "--stdin"], { input: "\n" })).text.trim()
    const untracked = fields((yield* content.run(["ls-files", "--others", "--exclude-standard", "-z"])).text)
    const rows = untracked.map((path) =>
      path.endsWith("/") ? `160000 ${emptyBlob} 0\t${path.slice(0, -1)}\0` : `100644 ${emptyBlob} 0\t${path}\0`
    )
    // An entry of a merge that is not resolved stands three times; once, with any content, is enough for a look.
    const unmerged = new Map(
      fields((yield* content.run(["ls-files", "--unmerged", "-z"])).text).map((row) => {
        const [meta, path] = [row.slice(0, row.indexOf("\t")), row.slice(row.indexOf("\t") + 1)]
        const [mode, object] = meta.split(" ")
        return [path, `${mode} ${object} 0\t${path}\0`]
      })
    )
    const input = [...rows, ...unmerged.values()].join("")
    if (input !== "") yield* content.run(["update-index", "-z", "--index-info"], { input })
  })

const changes: Readonly<Record<string, ChangedFile["change"]>> = { A: "added", D: "deleted", R: "renamed", C: "added" }

/** Reads `--raw --numstat -z`: first what changed and how, then the lines of each in the same order. */
export const parseChanges = (text: string): ReadonlyArray<ChangedFile> => {
  const parts = fields(text)
  const kinds: Array<{ readonly path: string; readonly change: ChangedFile["change"] }> = []
  let index = 0
  while (parts[index]?.startsWith(":")) {
    const letter = parts[index]!.split(" ")[4]?.[0] ?? "M"
    const moved = letter === "R" || letter === "C"
    kinds.push({ path: parts[index + (moved ? 2 : 1)] ?? "", change: changes[letter] ?? "modified" })
    index += moved ? 3 : 2
  }
  const lines = new Map<string, readonly [added: string, deleted: string]>()
  while (index < parts.length) {
    const [added = "-", deleted = "-", ...name] = parts[index]!.split("\t")
    const path = name.join("\t")
    // The name of a renamed file is empty there, and its old and new one follow.
    lines.set(path === "" ? parts[index + 2] ?? "" : path, [added, deleted])
    index += path === "" ? 3 : 1
  }
  return kinds.map((file) => {
    const [added, deleted] = lines.get(file.path) ?? ["-", "-"]
    return added === "-" ? file : { ...file, addedLines: Number(added), deletedLines: Number(deleted) }
  })
}

const cutAtLine = (bytes: Buffer): string => bytes.subarray(0, bytes.lastIndexOf(10) + 1).toString("utf8")

/** What differs between a worktree and its base commit. */
export const worktreeDiff = (
  context: HostContext,
  git: Git,
  worktree: WorktreeRef,
  options: { readonly patch: boolean; readonly maxPatchBytes: number }
): Effect.Effect<
  { readonly files: ReadonlyArray<ChangedFile>; readonly patch?: string; readonly truncated: boolean },
  Conflict | GitFailed
> =>
  Effect.gen(function*() {
    const place = yield* findPlace(context, git, worktree)
    const content = yield* withIndexCopy(context, git, place, worktree.trusted)
    yield* addUntracked(content)
    const base = ["--end-of-options", worktree.baseCommit, "--"]
    const config = [bigFile, "diff.renameLimit=1000"]
    const summary = yield* content.run(["diff", ...how, "--raw", "--abbrev=40", "--numstat", "-z", ...base], { config })
    const files = parseChanges(summary.text)
    if (!options.patch) return { files, truncated: summary.truncated }
    const patch = yield* content.run(
      ["diff", ...how, "--patch", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", ...base],
      { config, maxBytes: options.maxPatchBytes }
    )
    return {
      files,
      patch: patch.truncated ? cutAtLine(patch.bytes) : patch.text,
      truncated: summary.truncated || patch.truncated
    }
  }).pipe(Effect.scoped)
