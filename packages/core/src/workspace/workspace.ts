import { Schema } from "effect"
import { Failure } from "../failure.ts"
import { HostId, OrganizationId, ProjectId, TaskId, WorkspaceId } from "../id.ts"
import { BranchName } from "../project/project.ts"
import { Name } from "../text.ts"
import { recordTimes } from "../timestamp.ts"

export const WorkspaceStatus = Schema.Literals(["creating", "ready", "failed", "deleting", "deleted"])
export type WorkspaceStatus = typeof WorkspaceStatus.Type

/** A Git worktree of a project, prepared for an agent: usable exactly while it is `ready`. */
export const Workspace = Schema.Struct({
  id: WorkspaceId,
  organizationId: OrganizationId,
  name: Name,
  projectId: ProjectId,
  hostId: HostId,
  status: WorkspaceStatus,
  branch: BranchName,
  baseBranch: Schema.String,
  baseCommit: Schema.optionalKey(Schema.String).annotate({ description: "What its changes are measured against" }),
  path: Schema.optionalKey(Schema.String).annotate({ description: "Absolute path on its host, once it is there" }),
  taskId: Schema.optionalKey(TaskId).annotate({ description: "The task that it was made for, while there is one" }),
  failure: Schema.optionalKey(Failure),
  ...recordTimes
})
export type Workspace = typeof Workspace.Type

/** What changes together with a move. */
export interface WorkspacePatch {
  readonly baseCommit?: string
  readonly path?: string
  readonly failure?: Failure
}
