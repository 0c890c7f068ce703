import type { Effect } from "effect"
import { Context } from "effect"
import type { Conflict } from "../error.ts"
import type { OrganizationId, ProjectId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Project, ProjectPatch } from "./project.ts"

/** Projects; their names are unique in an organization. */
export class ProjectStore extends Context.Service<ProjectStore, {
  /** Fails with `Conflict` while the name is taken. */
  create(project: Project): Effect.Effect<void, Conflict>
  /** By id or by name; `undefined` when the organization has none. */
  get(organizationId: OrganizationId, idOrName: string): Effect.Effect<Project | undefined>
  /** Newest first. */
  list(organizationId: OrganizationId, page: PageRequest): Effect.Effect<Page<Project>>
  /** The project after the patch, or `undefined`. Fails with `Conflict` while the new name is taken. */
  update(
    organizationId: OrganizationId,
    id: ProjectId,
    patch: ProjectPatch,
    at: Timestamp
  ): Effect.Effect<Project | undefined, Conflict>
  /**
   * Removes it, and answers whether it was there. Fails with `Conflict` while an automation, or a workspace that is
   * not deleted, belongs to it; what is left of its workspaces' and runs' records goes with it.
   */
  remove(organizationId: OrganizationId, id: ProjectId): Effect.Effect<boolean, Conflict>
}>()("@coppice/core/project/ProjectStore") {}
