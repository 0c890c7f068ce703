import { Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { AutomationStore } from "../automation/automation-store.ts"
import { Conflict } from "../error.ts"
import type { HostConnection } from "../host-gateway.ts"
import type { RunId } from "../id.ts"
import { now } from "../timestamp.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import { makeWorkspace, type WorkspaceListener } from "../workspace/workspace-usecases.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { RunEventStore } from "./run-event-store.ts"
import { record } from "./run-journal.ts"
import { canFence, runPrompt } from "./run-prompt.ts"
import type { Claim } from "./run-queue.ts"

/** What the name of a run's own workspace tells it by. */
export const endOfRunId = (id: RunId): string => id.slice(-12)

/**
 * A name for the workspace of one claim: the automation's, and the end of the run's id, which no other shares. The fence
 * tells claims apart; the attempt does not, because one that a stopping server gave back was not counted.
 */
const workspaceName = ({ automation, lease, run }: Claim): string =>
  `${automation.name.slice(0, 80)} ${endOfRunId(run.id)}${lease.fence > 1 ? `-${lease.fence}` : ""}`

/** The workspace of an attempt: a new one, or the one that the automation's runs share, made by the first of them. */
export const prepareWorkspace = Effect.fn("prepareWorkspace")(function*<R>(
  claim: Claim,
  connection: HostConnection,
  attach: (workspaceId: Workspace["id"]) => Effect.Effect<unknown, never, R>
) {
  const { automation, project, run } = claim
  if (automation.workspaceMode === "reuse" && automation.workspaceId !== undefined) {
    const shared = yield* (yield* WorkspaceStore).get(automation.organizationId, automation.workspaceId)
    if (shared?.status === "ready" && shared.path !== undefined) {
      yield* attach(shared.id)
      return { ...shared, path: shared.path }
    }
  }
  const listener: WorkspaceListener<R | RunEventStore> = {
    onRecord: (workspace) => Effect.asVoid(attach(workspace.id)),
    onEvent: (event) =>
      record(run, [
        event._tag === "Progress" ? { type: "progress", text: event.message } : { type: "setup_output", text: event.text }
      ])
  }
  const workspace = yield* makeWorkspace(project, connection, { name: workspaceName(claim) }, listener)
  if (workspace.path === undefined) return yield* new Conflict({ message: "A ready workspace must have a path." })
  if (automation.workspaceMode === "reuse") {
    const automations = yield* AutomationStore
    yield* automations.update(automation.organizationId, automation.id, { workspaceId: workspace.id }, yield* now)
  }
  return { ...workspace, path: workspace.path }
})

/** What the agent is told, with the payload behind a delimiter that does not stand in it. */
export const promptOf = Effect.fnUntraced(function*({ automation, payload, run }: Claim) {
  const random = yield* SecureRandom
  let delimiter: string
  do {
    delimiter = `-----${(yield* random.uuidV4()).replaceAll("-", "")}-----`
  } while (!canFence(delimiter, payload))
  return runPrompt({ prompt: automation.prompt, trigger: run.trigger, runId: run.id, payload, delimiter })
})
