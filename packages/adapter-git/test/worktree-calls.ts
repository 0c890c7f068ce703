import type { WorktreeRef } from "@coppice/core"
import { Effect } from "effect"
import type { Sandbox } from "./sandbox.ts"
import { failureOf } from "./sandbox.ts"

/** The calls of a sandbox's host about one worktree. */
export const look = ({ host }: Sandbox) => ({
  status: (worktree: WorktreeRef) => Effect.runPromise(host.worktrees.status(worktree)),
  diff: (worktree: WorktreeRef, maxPatchBytes = 1_000_000) => Effect.runPromise(host.worktrees.diff(worktree, { patch: true, maxPatchBytes })),
  remove: (worktree: WorktreeRef, force = false) => Effect.runPromise(host.worktrees.remove(worktree, { force })),
  refusal: (worktree: WorktreeRef, force = false) => failureOf(host.worktrees.remove(worktree, { force }))
})
