import { Effect } from "effect"
import { constants, copyFile, lstat, mkdir, readlink, realpath, symlink } from "node:fs/promises"
import { dirname, isAbsolute, join, resolve } from "node:path"
import type { Git } from "../git/git.ts"
import { fields } from "../git/git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { Layout } from "../git/layout.ts"
import { isUnder } from "../file/containment.ts"
import { untorn } from "../file/untorn.ts"

const fileName = ".worktreeinclude"

const rulesIn = async (folder: string): Promise<string | undefined> => {
  const path = join(folder, fileName)
  const found = await lstat(path).catch(() => undefined)
  return found?.isFile() === true && found.size <= 1024 * 1024 ? path : undefined
}

/** What became of one file. */
type Copied = { readonly path: string; readonly bytes: number; readonly left?: string }

/** Makes a file's folders in the worktree, none of them through a link. */
const makeFolders = async (root: string, path: string): Promise<boolean> => {
  const folder = dirname(join(root, path))
  await mkdir(folder, { recursive: true }).catch(() => {})
  return await realpath(folder).catch(() => "") === folder
}

const copyOne = async (from: string, to: string, path: string): Promise<Copied> => {
  const source = join(from, path)
  const target = join(to, path)
  const left = (why: string): Copied => ({ path, bytes: 0, left: why })
  const found = await lstat(source).catch(() => undefined)
  if (found === undefined) return left("it is gone")
  if (await realpath(dirname(source)).catch(() => "") !== dirname(source)) return left("a link leads to it")
  if (!found.isFile() && !found.isSymbolicLink()) return left("it is no file")
  if (!(await makeFolders(to, path))) return left("a link or a file is in its way")
  try {
    if (found.isFile()) {
      // A clone where the file system can, so that large files cost nothing.
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      return { path, bytes: found.size }
    }
    const to_ = await readlink(source)
    if (isAbsolute(to_) || !isUnder(to, resolve(dirname(target), to_))) return left("it is a link that leads out")
    await symlink(to_, target)
    return { path, bytes: 0 }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return left(code === "EEXIST" ? "it is there already" : code ?? String(error))
  }
}

const told = (paths: ReadonlyArray<string>): string =>
  paths.slice(0, 10).map((path) => JSON.stringify(path)).join(", ") + (paths.length > 10 ? `, and ${paths.length - 10} more` : "")

/**
 * Copies the files that `.worktreeinclude` names (in the syntax of .gitignore) from the repository's working tree: only
 * ones that Git ignores there, never over one that is there already. Answers what to tell of it.
 */
export const copyIncluded = (
  git: Git,
  layout: Layout,
  worktree: string,
  trusted: boolean,
  timeoutMillis: number
): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.gen(function*() {
    const rules = yield* Effect.promise(async () => await rulesIn(worktree) ?? await rulesIn(layout.top))
    if (rules === undefined) return []
    const call = { cwd: layout.top, trusted, timeoutMillis }
    const named = yield* git.run({ ...call, args: ["ls-files", "--others", "--ignored", `--exclude-from=${rules}`, "-z"] })
    if (named.bytes.length === 0) return [`${fileName} names no file that is there.`]
    const ignored = yield* git.run({ ...call, args: ["check-ignore", "-z", "--stdin"], input: named.bytes }).pipe(
      Effect.catchTag("GitFailed", (failure) =>
        // It says 1 when none is ignored.
        failure.exitCode === 1 ? Effect.succeed({ text: "" }) : Effect.fail(failure))
    )
    const results: Array<Copied> = []
    for (const path of fields(ignored.text)) {
      if (path.endsWith("/")) continue
      results.push(yield* untorn(() => copyOne(layout.top, worktree, path)))
    }
    const copied = results.filter(({ left }) => left === undefined)
    const left = results.filter(({ left }) => left !== undefined)
    const bytes = copied.reduce((sum, each) => sum + each.bytes, 0)
    return [
      `Copied ${copied.length} ignored ${copied.length === 1 ? "file" : "files"} (${bytes} bytes) that ${fileName} names` +
      (copied.length === 0 ? "." : `: ${told(copied.map(({ path }) => path))}.`),
      ...(left.length === 0 ? [] : [`Not copied: ${left.slice(0, 10).map(({ path, left }) => `${JSON.stringify(path)} (${left})`).join(", ")}.`])
    ]
  })
