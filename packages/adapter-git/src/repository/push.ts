import type { InvalidRequest, Timestamp } from "@coppice/core"
import { Conflict, InvalidRequest as InvalidRequestError } from "@coppice/core"
import { Effect } from "effect"
import type { Git } from "../git/git.ts"
import { contentGit } from "../git/content-git.ts"
import type { GitFailed } from "../git/git-failed.ts"
import type { Layout } from "../git/layout.ts"
import { acceptsBranch, refCommit } from "../git/refs.ts"
import { configOf } from "../git/repository-config.ts"
import { transportOf, withoutCredentials } from "../git/url.ts"
import type { HostContext } from "../host-context.ts"
import { millisUntil } from "../real-time.ts"
import { findRepository } from "./inspect.ts"

export interface PushRequest {
  readonly repositoryPath: string
  readonly trusted: boolean
  readonly branch: string
  readonly remote?: string
  readonly deadline: Timestamp
}

const refusal = (remote: string) => (failure: GitFailed): Conflict =>
  failure.exitCode < 0
    ? new Conflict({ message: `The remote "${remote}" did not take the branch in time.` })
    : new Conflict({
      message: `The remote "${remote}" did not take the branch: ${withoutCredentials(failure.reason)}`,
      hint: "A branch is never forced; fetch and merge what the remote has, and check what the operator may write there."
    })

/** Where a remote of an untrusted repository is: a URL of a kind that names no program. */
const urlsOf = (git: Git, layout: Layout, remote: string) =>
  Effect.gen(function*() {
    const entries = yield* configOf(git, layout.commonDir, { GIT_DIR: layout.commonDir })
    const values = (name: string) => entries.filter(({ key }) => key === `remote.${remote}.${name}`).map(({ value }) => value)
    const urls = [...values("pushurl"), ...values("url")]
    if (urls.length === 0) {
      return yield* new Conflict({
        message: `The repository has no remote "${remote}".`,
        hint: "Add one: git remote add origin <url>"
      })
    }
    return values("pushurl").length > 0 ? values("pushurl") : urls
  })

/** Pushes a branch as the operator would, but never by force. */
export const pushBranch = (
  context: HostContext,
  git: Git,
  request: PushRequest
): Effect.Effect<{ readonly remote: string; readonly commit: string }, InvalidRequest | Conflict> =>
  Effect.gen(function*() {
    const { branch, trusted } = request
    const remote = request.remote ?? "origin"
    const layout = yield* findRepository(context, git, request.repositoryPath)
    if (!/^(?![-.])[\w./-]{1,200}$/.test(remote) || remote.includes("..")) {
      return yield* new InvalidRequestError({ message: `${JSON.stringify(remote)} is not a remote's name.` })
    }
    if (!(yield* acceptsBranch(git, layout, branch))) {
      return yield* new InvalidRequestError({ message: `${JSON.stringify(branch)} is not a branch name that Git accepts.` })
    }
    const commit = yield* refCommit(git, layout, `refs/heads/${branch}`)
    if (commit === undefined) return yield* new InvalidRequestError({ message: `There is no branch "${branch}".` })
    const timeoutMillis = yield* millisUntil(request.deadline)
    if (timeoutMillis <= 0) return yield* new Conflict({ message: "The branch was not pushed: its deadline has passed." })
    const failed = Effect.mapError(refusal(remote))
    const urls = yield* urlsOf(git, layout, remote).pipe(Effect.mapError((failure) =>
      failure._tag === "Conflict" ? failure : refusal(remote)(failure)))
    const refspec = `${commit}:refs/heads/${branch}`
    if (trusted) {
      yield* git.run({
        cwd: layout.top,
        trusted,
        network: true,
        timeoutMillis,
        args: ["push", "--no-force", "--no-follow-tags", "--recurse-submodules=no", "--", remote, refspec]
      }).pipe(failed)
      return { remote, commit }
    }
    const refused = urls.find((url) => transportOf(url) === undefined)
    if (refused !== undefined) {
      return yield* new Conflict({
        message: `The remote "${remote}" is not reached over https or ssh, and the project is not trusted to name any other way.`,
        hint: "Mark the project as trusted, or give the remote an https or ssh URL."
      })
    }
    // Git with nothing of the repository's configuration: its helpers, hooks and ssh command do not run.
    const content = yield* contentGit(context, git, {
      workTree: layout.top,
      gitDir: layout.commonDir,
      commonDir: layout.commonDir,
      trusted,
      head: commit,
      index: `${layout.commonDir}/index`
    }).pipe(failed)
    for (const url of urls) {
      yield* content.run(
        ["push", "--no-force", "--no-follow-tags", "--no-verify", "--recurse-submodules=no", "--", url, refspec],
        { timeoutMillis }
      ).pipe(failed)
    }
    yield* git.run({
      cwd: layout.commonDir,
      environment: { GIT_DIR: layout.commonDir },
      args: ["update-ref", "-m", "push", `refs/remotes/${remote}/${branch}`, commit]
    }).pipe(Effect.ignore)
    return { remote, commit }
  }).pipe(Effect.scoped)
