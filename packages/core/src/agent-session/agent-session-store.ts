import type { Effect } from "effect"
import { Context } from "effect"
import type { AgentSessionId, MachineId, OrganizationId, WorkspaceId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { AgentSession, AgentSessionPatch, AgentSessionStatus } from "./agent-session.ts"

/** Agent sessions. */
export class AgentSessionStore extends Context.Service<AgentSessionStore, {
  create(session: AgentSession): Effect.Effect<void>
  /** `undefined` when the organization has none with that id. */
  get(organizationId: OrganizationId, id: AgentSessionId): Effect.Effect<AgentSession | undefined>
  /** Newest first. */
  list(
    organizationId: OrganizationId,
    filter: { readonly workspaceId?: WorkspaceId },
    page: PageRequest
  ): Effect.Effect<Page<AgentSession>>
  /** Compare-and-set: to a status, from any of those given, with the patch. `undefined` when it is in none of them. */
  transition(
    organizationId: OrganizationId,
    id: AgentSessionId,
    from: ReadonlyArray<AgentSessionStatus>,
    to: AgentSessionStatus,
    patch: AgentSessionPatch,
    at: Timestamp
  ): Effect.Effect<AgentSession | undefined>
  /** The sessions of a machine, of every organization, that records say have not ended. */
  unsettled(machineId: MachineId): Effect.Effect<ReadonlyArray<AgentSession>>
}>()("@coppice/core/agent-session/AgentSessionStore") {}
