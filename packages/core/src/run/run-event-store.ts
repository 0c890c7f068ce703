import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganizationId, RunId } from "../id.ts"
import type { NewRunEvent, RunEvent } from "./run.ts"

/** What happened in each run, in order. */
export class RunEventStore extends Context.Service<RunEventStore, {
  /**
   * Adds events in their order, numbered from 1 without a gap, also under concurrent callers. When a run's output
   * passes `maxOutputBytes` (UTF-8 bytes of `text`), its oldest output events go; the numbers of the others stay.
   * Nothing is stored for a run that is not there.
   */
  append(
    organizationId: OrganizationId,
    runId: RunId,
    events: ReadonlyArray<NewRunEvent>,
    maxOutputBytes: number
  ): Effect.Effect<void>
  /** Events after that sequence, or the newest there are; oldest first, at most `limit`. */
  list(
    organizationId: OrganizationId,
    runId: RunId,
    after: number | "newest",
    limit: number
  ): Effect.Effect<ReadonlyArray<RunEvent>>
}>()("@coppice/core/run/RunEventStore") {}
