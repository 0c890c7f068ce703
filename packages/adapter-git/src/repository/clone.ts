import type { Conflict, InvalidRequest, ProjectId, Repository, Timestamp } from "@coppice/core"
import { Conflict as ConflictError, InvalidRequest as InvalidRequestError } from "@coppice/core"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { lstat, readdir, rename } from "node:fs/promises"
import { join } from "node:path"
import type { Git } from "../git/git.ts"
import { hasCredentials, transportOf, withoutCredentials } from "../git/url.ts"
import type { HostContext } from "../host-context.ts"
import { millisUntil } from "../real-time.ts"
import { removeFolder } from "../file/folder.ts"
import { inspectRepository } from "./inspect.ts"
import { untorn } from "../file/untorn.ts"

const checkUrl = (url: string) =>
  Effect.gen(function*() {
    if (transportOf(url) === undefined) {
      return yield* new InvalidRequestError({
        message: "A repository's URL is https://…, ssh://… or user@host:path.",
        hint: "For a repository that is on the host already, give its path."
      })
    }
    if (hasCredentials(url)) {
      return yield* new InvalidRequestError({
        message: "A repository's URL must not hold a user name or password for https, or a password for ssh.",
        hint: "Let a Git credential helper or an ssh key of the user who runs the service authenticate."
      })
    }
  })

/** Clones a repository for a project, or finds the clone that was made before. */
export const cloneRepository = (
  context: HostContext,
  git: Git,
  request: { readonly projectId: ProjectId; readonly url: string; readonly deadline: Timestamp }
): Effect.Effect<Repository, InvalidRequest | Conflict> =>
  Effect.gen(function*() {
    const { projectId, url } = request
    yield* checkUrl(url)
    const folder = context.folders.repositories
    const path = join(folder, projectId)
    if (yield* Effect.promise(() => lstat(path).then(() => true, () => false))) {
      return yield* inspectRepository(context, git, path)
    }
    const late = new ConflictError({ message: "The repository could not be cloned in time." })
    const timeoutMillis = yield* millisUntil(request.deadline)
    if (timeoutMillis <= 0) return yield* late
    // What a crash left of an earlier attempt. One at a time works on a project, so that nobody else's is among it.
    yield* untorn(async () => {
      const stale = (await readdir(folder)).filter((name) => name.startsWith(`${projectId}.`))
      for (const name of stale) await removeFolder(join(folder, name))
    })
    const aside = join(folder, `${projectId}.${randomUUID()}.part`)
    yield* git.run({
      cwd: folder,
      network: true,
      timeoutMillis,
      args: ["clone", "--quiet", "--no-recurse-submodules", "--origin", "origin", "--", url, aside]
    }).pipe(
      Effect.mapError((failure) =>
        failure.exitCode < 0
          ? late
          : new ConflictError({
            message: `The repository could not be cloned: ${withoutCredentials(failure.reason)}`,
            hint: "Check the URL, and that the user who runs the service may read it without being asked."
          })
      ),
      Effect.andThen(untorn(() => rename(aside, path))),
      Effect.onExit((exit) => exit._tag === "Success" ? Effect.void : untorn(() => removeFolder(aside)))
    )
    return yield* inspectRepository(context, git, path).pipe(
      Effect.tapError(() => untorn(() => removeFolder(path)))
    )
  })
