import type { Effect } from "effect"
import { Context } from "effect"
import type { NotFound } from "../error.ts"
import type { AutomationId, OrganizationId, ProjectId, RunId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { NewRun, Run, RunStatus } from "./run.ts"

/** Runs, as people and programs see them. */
export class RunStore extends Context.Service<RunStore, {
  /** Stores a queued run of an automation with its payload in one step, and answers it. `NotFound` without the automation. */
  create(run: NewRun, payload: Uint8Array): Effect.Effect<Run, NotFound>
  /** With its place in the queue while it is queued. `undefined` when the organization has none with that id. */
  get(organizationId: OrganizationId, id: RunId): Effect.Effect<Run | undefined>
  /** Newest first. */
  list(
    organizationId: OrganizationId,
    filter: { readonly automationId?: AutomationId; readonly projectId?: ProjectId; readonly status?: RunStatus },
    page: PageRequest
  ): Effect.Effect<Page<Run>>
  /** The bytes as they were received; `undefined` without such a run, or once they were forgotten. */
  payload(organizationId: OrganizationId, id: RunId): Effect.Effect<Uint8Array | undefined>
  /**
   * Cancels a queued run at once; notes the wish on one that is taken up, for its worker. Answers the run as it is then,
   * `undefined` without one. A run that has ended stays as it is.
   */
  cancel(organizationId: OrganizationId, id: RunId, at: Timestamp): Effect.Effect<Run | undefined>
  /** Removes payloads and events of runs that ended before that instant, of every organization. The records stay. */
  forget(endedBefore: Timestamp): Effect.Effect<void>
}>()("@coppice/core/run/RunStore") {}
