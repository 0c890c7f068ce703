import { Effect } from "effect"
import { failAgentSession } from "../agent-session/agent-session-usecases.ts"
import { AgentSessionStore } from "../agent-session/agent-session-store.ts"
import type { HostConnection } from "../host-gateway.ts"
import type { MachineId } from "../id.ts"
import { ProjectStore } from "../project/project-store.ts"
import { now } from "../timestamp.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import { worktreeOf } from "../workspace/workspace-usecases.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { recordStatus } from "./run-journal.ts"
import { RunQueue } from "./run-queue.ts"

const interrupted = { reason: "interrupted", message: "The server ended while this was under way." } as const

/**
 * Brings a machine's records in line with what is so, before anything new is done there: ends the processes that an
 * earlier life left running, then the records of their sessions, then unfinished workspaces, and last gives up its
 * leases. In that order, so that a second attempt never starts beside the first.
 */
export const settleMachine = Effect.fn("settleMachine")(function*(machineId: MachineId, connection: HostConnection) {
  const ended = yield* connection.agentLauncher.settle()
  if (ended.length > 0) yield* Effect.logInfo(`Ended what was left running of ${ended.length} agent sessions`)
  for (const session of yield* (yield* AgentSessionStore).unsettled(machineId)) {
    yield* failAgentSession(session, interrupted)
  }
  for (const workspace of yield* (yield* WorkspaceStore).unsettled(machineId)) {
    yield* settleWorkspace(workspace, connection)
  }
  for (const run of yield* (yield* RunQueue).reclaim(machineId)) {
    yield* recordStatus(run)
  }
})

/** What was being made is taken down; what was being deleted is deleted or still there, as its host says. */
const settleWorkspace = Effect.fn("settleWorkspace")(function*(workspace: Workspace, connection: HostConnection) {
  const { baseCommit, id, organizationId, path, status } = workspace
  const project = yield* (yield* ProjectStore).get(organizationId, workspace.projectId)
  if (project === undefined) return
  const settled = status === "creating" || path === undefined || baseCommit === undefined
    ? yield* Effect.as(
      connection.worktrees.remove({
        workspaceId: id,
        repositoryPath: project.repositoryPath,
        trusted: project.trusted,
        branch: workspace.branch
      }, { force: true }),
      status === "creating" ? "failed" as const : "deleted" as const
    )
    : yield* connection.worktrees.status(worktreeOf(project, { ...workspace, path, baseCommit })).pipe(
      Effect.as("ready" as const),
      Effect.catchTag("Conflict", () => Effect.succeed("deleted" as const))
    )
  const patch = settled === "failed" ? { failure: interrupted } : {}
  yield* (yield* WorkspaceStore).transition(organizationId, id, [status], settled, patch, yield* now)
}, (effect, workspace) =>
  Effect.catchCause(effect, (cause) => Effect.logWarning(`Workspace ${workspace.id} could not be settled`, cause)))
