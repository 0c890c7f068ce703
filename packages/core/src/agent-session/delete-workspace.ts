import { Effect } from "effect"
import { Conflict } from "../error.ts"
import { connectHost } from "../host/host-usecases.ts"
import { isFinal } from "../lifecycle.ts"
import { getProject } from "../project/project-usecases.ts"
import { now } from "../timestamp.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import { getWorkspace, worktreeOf } from "../workspace/workspace-usecases.ts"
import type { Workspace, WorkspaceStatus } from "../workspace/workspace.ts"
import { agentSessionLifecycle } from "./agent-session-policy.ts"
import { AgentSessionStore } from "./agent-session-store.ts"

/** A session is newer than those that ended before it, so a live one is always on the first page. */
const hasLiveSession = Effect.fn("hasLiveSession")(function*(workspace: Workspace) {
  const store = yield* AgentSessionStore
  const { items } = yield* store.list(workspace.organizationId, { workspaceId: workspace.id }, { limit: 10 })
  return items.some((session) => session.status !== "lost" && !isFinal(agentSessionLifecycle, session.status))
})

/**
 * Deletes a workspace with its worktree. What would be lost, and an agent at work, is refused, and the workspace is as
 * it was; `force` gives up work, which is kept under a rescue ref first, and never an agent at work.
 */
export const deleteWorkspace = Effect.fn("deleteWorkspace")(function*(idOrName: string, force: boolean) {
  const store = yield* WorkspaceStore
  const workspace = yield* getWorkspace(idOrName)
  const { id, organizationId } = workspace
  const project = yield* getProject(workspace.projectId)
  const move = (from: ReadonlyArray<WorkspaceStatus>, to: WorkspaceStatus) =>
    Effect.flatMap(now, (at) =>
      store.transition(
        organizationId,
        id,
        from,
        to,
        to === "failed" && workspace.failure !== undefined ? { failure: workspace.failure } : {},
        at
      ))
  const before = workspace.status === "failed" ? "failed" : "ready"
  if ((yield* move([before], "deleting")) === undefined) {
    return yield* new Conflict({
      message: `The workspace "${workspace.name}" is ${workspace.status}.`,
      hint: "Only one that is ready or failed can be deleted; wait until it is."
    })
  }
  const undo = move(["deleting"], before)
  const removed = yield* Effect.gen(function*() {
    if (yield* hasLiveSession(workspace)) {
      return yield* new Conflict({
        message: `An agent is at work in the workspace "${workspace.name}".`,
        hint: "Cancel its run, or wait for its end, then delete the workspace."
      })
    }
    const { baseCommit, path } = workspace
    const { worktrees } = yield* connectHost(workspace.hostId)
    return path === undefined || baseCommit === undefined
      ? yield* worktrees.remove({
        workspaceId: id,
        repositoryPath: project.repositoryPath,
        trusted: project.trusted,
        branch: workspace.branch
      }, { force })
      : yield* worktrees.remove(worktreeOf(project, { ...workspace, path, baseCommit }), { force })
  }).pipe(Effect.onError(() => undo))
  const deleted = yield* move(["deleting"], "deleted")
  return { workspace: deleted ?? workspace, ...removed }
})
