import type { Effect } from "effect"
import { Context } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import type { Conflict } from "../error.ts"
import type { AutomationId, OrganizationId, ProjectId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Automation, AutomationPatch, AutomationStatus } from "./automation.ts"

/** Automations, and the webhook token that each may have; their names are unique in an organization. */
export class AutomationStore extends Context.Service<AutomationStore, {
  /** Fails with `Conflict` while the name is taken. */
  create(automation: Automation): Effect.Effect<void, Conflict>
  /** By id or by name; `undefined` when the organization has none. */
  get(organizationId: OrganizationId, idOrName: string): Effect.Effect<Automation | undefined>
  /** Newest first. */
  list(
    organizationId: OrganizationId,
    filter: { readonly projectId?: ProjectId; readonly status?: AutomationStatus },
    page: PageRequest
  ): Effect.Effect<Page<Automation>>
  /**
   * The automation after the patch, or `undefined`. With a `status` it is a compare-and-set: `undefined` too unless it
   * was in `status.from`. Fails with `Conflict` while the new name is taken.
   */
  update(
    organizationId: OrganizationId,
    id: AutomationId,
    patch: AutomationPatch & { readonly status?: { readonly from: AutomationStatus; readonly to: AutomationStatus } },
    at: Timestamp
  ): Effect.Effect<Automation | undefined, Conflict>
  /** Puts a token in the place of the one before, which is worth nothing from then on; the record says since when. Answers whether the automation is there. */
  rotateWebhookToken(
    organizationId: OrganizationId,
    id: AutomationId,
    hash: SecretHash,
    at: Timestamp
  ): Effect.Effect<boolean>
  /** Removes it with its token and its runs' records; answers whether it was there. Fails with `Conflict` while a run of it has not ended. */
  remove(organizationId: OrganizationId, id: AutomationId): Effect.Effect<boolean, Conflict>
}>()("@coppice/core/automation/AutomationStore") {}
