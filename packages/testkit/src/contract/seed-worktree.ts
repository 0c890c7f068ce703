// Repositories and worktrees for the contracts of host ports.
import { AgentSessionId, type Launch, newId, now, ProjectId, WorkspaceId, type WorktreeRef, type WorktreeRequest } from "@coppice/core"
import { Worktrees } from "@coppice/core/ports"
import { DateTime, Effect, Stream } from "effect"
import { assert } from "vitest"
import { type Files, HostFixture } from "./host-fixture.ts"

export const someFiles: Files = { "README.md": "Hello\n", "src/index.txt": "one\ntwo\nthree\n", ".gitignore": ".env\nbuild/\n" }

export const seedRepository = Effect.fnUntraced(function*(files: Files = someFiles) {
  return yield* (yield* HostFixture).makeRepository(files)
})

export const newRequest = Effect.fnUntraced(function*(repositoryPath: string, fields: Partial<WorktreeRequest> = {}) {
  const workspaceId = yield* newId(WorkspaceId)
  const request: WorktreeRequest = {
    workspaceId,
    projectId: yield* newId(ProjectId),
    repositoryPath,
    trusted: false,
    branch: `coppice/${workspaceId}`,
    existingBranch: false,
    base: "main",
    deadline: DateTime.add(yield* now, { minutes: 5 }),
    ...fields
  }
  return request
})

/** Makes a worktree and answers how it is called from then on, with what was told on the way. */
export const make = Effect.fnUntraced(function*(request: WorktreeRequest) {
  const events = yield* Stream.runCollect((yield* Worktrees).create(request))
  const ready = events.at(-1)
  if (ready?._tag !== "Ready") return assert.fail(`The last event must be Ready, and is ${ready?._tag}`)
  const { branch, repositoryPath, trusted, workspaceId } = request
  const worktree: WorktreeRef = {
    workspaceId,
    repositoryPath,
    trusted,
    branch,
    path: ready.path,
    baseCommit: ready.baseCommit
  }
  return { events, worktree }
})

export const seedWorktree = Effect.fnUntraced(function*(
  repositoryPath: string,
  fields: Partial<WorktreeRequest> = {}
) {
  return (yield* make(yield* newRequest(repositoryPath, fields))).worktree
})

/** A launch in a new worktree, or in the one of another launch. */
export const newLaunch = Effect.fnUntraced(function*(agent: string, prompt: string | Uint8Array = "", fields: Partial<Launch> = {}) {
  const { path, workspaceId } = yield* seedWorktree(yield* seedRepository())
  const launch: Launch = {
    sessionId: yield* newId(AgentSessionId),
    workspaceId,
    agent,
    directory: path,
    prompt: typeof prompt === "string" ? new TextEncoder().encode(prompt) : prompt,
    environment: {},
    deadline: DateTime.add(yield* now, { minutes: 5 }),
    ...fields
  }
  return launch
})
