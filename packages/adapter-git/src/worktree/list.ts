import type { InvalidRequest, WorkspaceId } from "@coppice/core"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Git } from "../git/git.ts"
import type { HostContext } from "../host-context.ts"
import { findRepository } from "../repository/inspect.ts"
import { findPlace } from "./place.ts"
import type { WorktreeRecords } from "./record.ts"

export interface ListedWorktree {
  readonly workspaceId: WorkspaceId
  readonly path: string
  readonly branch?: string
  readonly headCommit: string
}

/** The branch that a worktree has checked out, by its HEAD. */
const branchOf = async (gitDir: string): Promise<string | undefined> =>
  /^ref: refs\/heads\/(.+?)\n?$/s.exec(await readFile(join(gitDir, "HEAD"), "utf8").catch(() => ""))?.[1]

/** The worktrees of a repository that this host made and that are there. */
export const listWorktrees = (
  context: HostContext,
  git: Git,
  records: WorktreeRecords,
  repositoryPath: string
): Effect.Effect<ReadonlyArray<ListedWorktree>, InvalidRequest> =>
  Effect.gen(function*() {
    const layout = yield* findRepository(context, git, repositoryPath)
    const known = (yield* Effect.promise(() => records.all()))
      .filter(({ state, commonDir }) => state === "ready" && commonDir === layout.commonDir)
    const found = yield* Effect.forEach(known, (record) =>
      findPlace(context, git, { ...record, repositoryPath, trusted: false }).pipe(
        Effect.flatMap((place) =>
          Effect.promise(async () => {
            const branch = await branchOf(place.gitDir)
            const { workspaceId, path } = record
            return [{ workspaceId, path, headCommit: place.headCommit, ...(branch !== undefined && { branch }) }]
          })
        ),
        Effect.orElseSucceed(() => [])
      ), { concurrency: 4 })
    return found.flat()
  })
