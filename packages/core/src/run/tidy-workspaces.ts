import { Effect } from "effect"
import { deleteWorkspace } from "../agent-session/delete-workspace.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import type { HostConnection } from "../host-gateway.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import { worktreeOf } from "../workspace/workspace-usecases.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { endOfRunId } from "./prepare-run.ts"
import type { Claim } from "./run-queue.ts"
import { RunStore } from "./run-store.ts"

/** How many clean workspaces of an automation's runs stay. */
const keptClean = 20

/** How many have to be there before it looks: to ask Git about each of them after every run would be waste. */
const tidiedAt = 30

/** How many runs back it looks: those before were looked at when they were this far back. */
const runsLookedAt = 100

/**
 * After a run: of the workspaces that the automation's runs left, the newest clean ones stay, and older ones that are
 * clean and merged go. One in which something changed stays until somebody deletes it.
 */
export const tidyAfterRun = Effect.fn("tidyAfterRun")(function*({ automation, project }: Claim, connection: HostConnection) {
  if (automation.workspaceMode === "reuse") return
  const workspaces = yield* WorkspaceStore
  const { items: runs } = yield* (yield* RunStore).list(
    automation.organizationId,
    { automationId: automation.id },
    { limit: runsLookedAt }
  )
  const left: Array<Workspace & { path: string; baseCommit: string }> = []
  for (const { id, workspaceId } of runs) {
    const workspace = workspaceId && (yield* workspaces.get(automation.organizationId, workspaceId))
    // One that the run did not make, when the automation shared somebody's, is not ours to delete.
    if (!workspace || !workspace.name.includes(endOfRunId(id)) || workspace.status !== "ready" || !workspace.path || !workspace.baseCommit) continue
    left.push({ ...workspace, path: workspace.path, baseCommit: workspace.baseCommit })
  }
  if (left.length < tidiedAt) return
  let clean = 0
  for (const workspace of left) {
    const status = yield* Effect.option(connection.worktrees.status(worktreeOf(project, workspace)))
    if (status._tag === "None" || status.value.dirty || status.value.unmergedCommits > 0) continue
    clean++
    if (clean > keptClean) yield* Effect.ignore(deleteWorkspace(workspace.id, false))
  }
}, (effect, { automation }) =>
  effect.pipe(
    Effect.provideService(CurrentPrincipal, {
      organizationId: automation.organizationId,
      userId: automation.ownerId,
      role: "member"
    }),
    Effect.catchCause((cause) => Effect.logWarning(`Old workspaces of ${automation.name} could not be tidied`, cause))
  ))
