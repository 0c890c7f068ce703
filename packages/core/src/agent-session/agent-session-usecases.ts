import { DateTime, Effect } from "effect"
import { Conflict, InvalidRequest } from "../error.ts"
import type { Failure } from "../failure.ts"
import type { HostConnection } from "../host-gateway.ts"
import { chooseHost, connectHost } from "../host/host-usecases.ts"
import { AgentSessionId, type HostId, newId } from "../id.ts"
import { sourcesOf } from "../lifecycle.ts"
import { now } from "../timestamp.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { AgentUnavailable } from "./agent-launcher.ts"
import { agentSessionLifecycle } from "./agent-session-policy.ts"
import { AgentSessionStore } from "./agent-session-store.ts"
import type { AgentSession, AgentSessionPatch, AgentSessionStatus } from "./agent-session.ts"

const startSeconds = 60

/** What the agents of a host are, and why one cannot be used where that is so. */
export const listAgents = Effect.fn("listAgents")(function*(hostIdOrName: string | undefined) {
  const host = yield* chooseHost(hostIdOrName)
  return yield* (yield* connectHost(host.id)).agentLauncher.agents()
})

/** Fails unless the host has an agent of that id. One that is configured but not installed is accepted: it may come. */
export const requireAgent = Effect.fn("requireAgent")(function*(hostId: HostId, agentId: string) {
  const agents = yield* (yield* connectHost(hostId)).agentLauncher.agents()
  const agent = agents.find((agent) => agent.id === agentId)
  if (agent === undefined) {
    const known = agents.map((agent) => agent.id).join(", ")
    return yield* new InvalidRequest({
      message: `The host has no agent "${agentId}".`,
      hint: known === "" ? "Configure one under agents in the server's config file." : `It has: ${known}.`
    })
  }
  return agent
})

/** Moves a session on to wherever it may go from where it is. */
export const moveAgentSession = Effect.fn("moveAgentSession")(function*(
  session: Pick<AgentSession, "organizationId" | "id">,
  to: AgentSessionStatus,
  patch: AgentSessionPatch
) {
  const from = sourcesOf(agentSessionLifecycle, to)
  return yield* (yield* AgentSessionStore).transition(session.organizationId, session.id, from, to, patch, yield* now)
})

/** Ends a session's record as failed, whether it was still starting, running, or had been lost. */
export const failAgentSession = Effect.fn("failAgentSession")(function*(
  session: Pick<AgentSession, "organizationId" | "id">,
  failure: Failure
) {
  return yield* moveAgentSession(session, "failed", { failure, endedAt: yield* now })
})

/**
 * Starts an agent in a ready workspace: its record first, so that no process runs without one. The workspace is looked
 * at once more after that, because a deletion looks for sessions after it has marked the workspace.
 */
export const startAgentSession = Effect.fn("startAgentSession")(function*(
  connection: HostConnection,
  workspace: Workspace & { readonly path: string },
  input: {
    readonly agent: string
    readonly title: string
    readonly prompt: Uint8Array
    readonly environment: Readonly<Record<string, string>>
  }
) {
  const { organizationId } = workspace
  const at = yield* now
  const session: AgentSession = {
    id: yield* newId(AgentSessionId),
    organizationId,
    workspaceId: workspace.id,
    agent: input.agent,
    title: input.title,
    status: "starting",
    createdAt: at,
    updatedAt: at
  }
  yield* (yield* AgentSessionStore).create(session)
  const present = yield* (yield* WorkspaceStore).get(organizationId, workspace.id)
  if (present?.status !== "ready") {
    const message = `The workspace "${workspace.name}" is not ready any more.`
    yield* failAgentSession(session, { reason: "workspace", message })
    return yield* new Conflict({ message })
  }
  const started = yield* connection.agentLauncher.start({
    sessionId: session.id,
    workspaceId: workspace.id,
    agent: input.agent,
    directory: workspace.path,
    prompt: input.prompt,
    environment: { ...input.environment, COPPICE_WORKSPACE_ID: workspace.id, COPPICE_AGENT_SESSION_ID: session.id },
    deadline: DateTime.add(at, { seconds: startSeconds })
  }).pipe(
    Effect.tapError((error) =>
      failAgentSession(session, {
        reason: error instanceof AgentUnavailable ? "agent_unavailable" : "host_lost",
        message: error.message
      })
    ),
    Effect.onInterrupt(() =>
      Effect.ignore(connection.agentLauncher.stop(session.id)).pipe(
        Effect.andThen(failAgentSession(session, { reason: "interrupted", message: "The start was cancelled." }))
      )
    )
  )
  const running = yield* moveAgentSession(session, "running", { startedAt: started.startedAt })
  if (running === undefined) {
    yield* connection.agentLauncher.stop(session.id)
    return yield* new Conflict({ message: "The agent session was ended while it was starting." })
  }
  return running
})
