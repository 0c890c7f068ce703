import type { Effect } from "effect"
import { Context } from "effect"
import type { Conflict, InvalidRequest } from "../error.ts"
import type { HostCallError } from "../host/host-call.ts"
import type { ProjectId } from "../id.ts"
import type { Timestamp } from "../timestamp.ts"

/** What a host finds at a path. */
export interface Repository {
  /** The working tree's top folder, links resolved. */
  readonly path: string
  /** The branch that is checked out there, or that its remote calls the default. */
  readonly defaultBranch: string
}

/** The repositories of a host. */
export class Repositories extends Context.Service<Repositories, {
  /**
   * The repository at a path. Fails with `InvalidRequest`, saying which, for a path that is not absolute, outside the
   * roots (links resolved), not there, not a repository, bare, or without a commit.
   */
  inspect(path: string): Effect.Effect<Repository, InvalidRequest | HostCallError>
  /**
   * Clones over https or ssh into the host's data folder; the same key again answers the same clone. Fails with
   * `InvalidRequest` for any other kind of URL and for one with a password in it, with `Conflict` when the remote refuses.
   */
  clone(request: {
    readonly projectId: ProjectId
    readonly url: string
    readonly deadline: Timestamp
  }): Effect.Effect<Repository, InvalidRequest | Conflict | HostCallError>
  /**
   * Pushes a branch to a remote (`origin` when left out) with the operator's own credentials, never by force. Fails
   * with `Conflict` when the remote refuses or there is none by that name.
   */
  push(request: {
    readonly repositoryPath: string
    readonly trusted: boolean
    readonly branch: string
    readonly remote?: string
    readonly deadline: Timestamp
  }): Effect.Effect<{ readonly remote: string; readonly commit: string }, InvalidRequest | Conflict | HostCallError>
}>()("@coppice/core/project/Repositories") {}
