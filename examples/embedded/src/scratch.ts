import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Scratch {
  readonly folder: string
  /** Where Coppice keeps its data. */
  readonly home: string
  /** A repository with one commit. */
  readonly repository: string
}

const make = (): Scratch => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-embedded-")))
  const repository = join(folder, "hello-coppice")
  mkdirSync(repository)
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=Me", "-c", "user.email=me@example.com", ...args])
  git("init", "--quiet", "--initial-branch=main")
  writeFileSync(join(repository, "README.md"), "# hello-coppice\n")
  git("add", "README.md")
  git("commit", "--quiet", "--message", "Start")
  return { folder, home: join(folder, "home"), repository }
}

/** A temporary folder with all that the example touches, which goes away with the scope. */
export const scratch = Effect.acquireRelease(
  Effect.sync(make),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
