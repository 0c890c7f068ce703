import type { Effect } from "effect"
import { Context } from "effect"
import type { Conflict } from "../error.ts"
import type { MachineId, OrganizationId, ProjectId, TaskId, WorkspaceId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Workspace, WorkspacePatch, WorkspaceStatus } from "./workspace.ts"

/** Workspaces. A name is unique among those of a project that are not deleted. */
export class WorkspaceStore extends Context.Service<WorkspaceStore, {
  /** Fails with `Conflict` while the name is taken. */
  create(workspace: Workspace): Effect.Effect<void, Conflict>
  /** By id, or by name among those not deleted; `undefined` when there is none, or several by that name. */
  get(organizationId: OrganizationId, idOrName: string): Effect.Effect<Workspace | undefined>
  /** Newest first. Deleted ones only when `status` asks for them. */
  list(
    organizationId: OrganizationId,
    filter: { readonly projectId?: ProjectId; readonly taskId?: TaskId; readonly status?: WorkspaceStatus },
    page: PageRequest
  ): Effect.Effect<Page<Workspace>>
  /** Its new name, or `undefined` when there is none. Fails with `Conflict` while the name is taken. */
  rename(
    organizationId: OrganizationId,
    id: WorkspaceId,
    name: string,
    at: Timestamp
  ): Effect.Effect<Workspace | undefined, Conflict>
  /**
   * Compare-and-set: to a status, from any of those given, with the patch. `undefined` when it is in none of them. A
   * failure goes when it leaves `failed`.
   */
  transition(
    organizationId: OrganizationId,
    id: WorkspaceId,
    from: ReadonlyArray<WorkspaceStatus>,
    to: WorkspaceStatus,
    patch: WorkspacePatch,
    at: Timestamp
  ): Effect.Effect<Workspace | undefined>
  /** The workspaces of a machine, of every organization, that an interrupted process left creating or deleting. */
  unsettled(machineId: MachineId): Effect.Effect<ReadonlyArray<Workspace>>
}>()("@coppice/core/workspace/WorkspaceStore") {}
