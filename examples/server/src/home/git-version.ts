import { Effect } from "effect"
import { execFile } from "node:child_process"
import { StartFailure } from "../start-failure.ts"

/** The oldest Git whose worktrees this service relies on. */
const oldest = [2, 36] as const

const gitVersion = Effect.callback<string | undefined>((resume) => {
  const child = execFile("git", ["--version"], { timeout: 10_000 }, (error, stdout) =>
    resume(Effect.succeed(error === null ? stdout.trim() : undefined)))
  return Effect.sync(() => child.kill())
})

/** The version of Git on the PATH, or what to install. */
export const requireGit = Effect.gen(function*() {
  const hint = `Install git ${oldest.join(".")} or newer and put it on the PATH.`
  const found = yield* gitVersion
  if (found === undefined) return yield* new StartFailure({ message: "git was not found.", hint })
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(found) ?? []).slice(1).map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
    ? found.replace(/^git version /, "")
    : yield* new StartFailure({ message: `${found} is too old: its worktrees are not safe enough.`, hint })
})
