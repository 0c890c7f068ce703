import { Cause, DateTime, Effect, Option, Schedule } from "effect"
import { Conflict, InvalidRequest } from "../error.ts"
import type { Failure } from "../failure.ts"
import type { HostConnection } from "../host-gateway.ts"
import type { HostCallError } from "../host/host-call.ts"
import { chooseHost, connectHost } from "../host/host-usecases.ts"
import type { AgentSessionId, HostId } from "../id.ts"
import { sourcesOf } from "../lifecycle.ts"
import { now } from "../timestamp.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { AgentUnavailable } from "./agent-launcher.ts"
import { agentSessionLifecycle } from "./agent-session-policy.ts"
import { AgentSessionStore } from "./agent-session-store.ts"
import type { AgentSession, AgentSessionPatch, AgentSessionStatus } from "./agent-session.ts"

const startSeconds = 60

/** How long a host that cannot be reached is asked to end an agent. */
const endSeconds = 60

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

/** Ends an agent's processes. A host that cannot be reached is asked again for a while: nothing may be left running. */
export const endAgent = (connection: HostConnection, id: AgentSessionId): Effect.Effect<void> =>
  connection.agentLauncher.stop(id).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: endSeconds }),
    Effect.orDie
  )

/** What a session is recorded to have failed of, when it could not be started. */
const startFailure = (cause: Cause.Cause<AgentUnavailable | Conflict | HostCallError>): Failure => {
  if (Cause.hasInterruptsOnly(cause)) return { reason: "interrupted", message: "The start was cancelled." }
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return { reason: "host_lost", message: "The host failed while the agent was started." }
  const reason = error._tag === "AgentUnavailable" ? "agent_unavailable" : error._tag === "Conflict" ? "workspace" : "host_lost"
  return { reason, message: error.message }
}

/**
 * Starts an agent in a ready workspace: its record first, so that no process runs without one. The workspace is looked
 * at once more after that, because a deletion looks for sessions after it has marked the workspace. Unless it answers a
 * running session, none is left running.
 */
export const startAgentSession = Effect.fn("startAgentSession")(function*(
  connection: HostConnection,
  workspace: Workspace & { readonly path: string },
  input: {
    readonly sessionId: AgentSessionId
    readonly agent: string
    readonly title: string
    readonly prompt: Uint8Array
    readonly environment: Readonly<Record<string, string>>
  }
) {
  const { organizationId } = workspace
  const at = yield* now
  const session: AgentSession = {
    id: input.sessionId,
    organizationId,
    workspaceId: workspace.id,
    agent: input.agent,
    title: input.title,
    status: "starting",
    createdAt: at,
    updatedAt: at
  }
  const launch = {
    sessionId: session.id,
    workspaceId: workspace.id,
    agent: input.agent,
    directory: workspace.path,
    prompt: input.prompt,
    environment: { ...input.environment, COPPICE_WORKSPACE_ID: workspace.id, COPPICE_AGENT_SESSION_ID: session.id },
    deadline: DateTime.add(at, { seconds: startSeconds })
  }
  return yield* Effect.gen(function*() {
    yield* (yield* AgentSessionStore).create(session)
    const present = yield* (yield* WorkspaceStore).get(organizationId, workspace.id)
    if (present?.status !== "ready") {
      return yield* new Conflict({ message: `The workspace "${workspace.name}" is not ready any more.` })
    }
    const { startedAt } = yield* connection.agentLauncher.start(launch)
    const running = yield* moveAgentSession(session, "running", { startedAt })
    return running ?? (yield* new Conflict({ message: "The agent session was ended while it was starting." }))
  }).pipe(
    Effect.onError((cause) =>
      endAgent(connection, session.id).pipe(Effect.ensuring(failAgentSession(session, startFailure(cause))))
    )
  )
})
