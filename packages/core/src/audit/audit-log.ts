import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganizationId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { AuditEntry } from "./audit-entry.ts"

/** What was granted, created, rotated and revoked, by whom and from where. Entries are added and never changed. */
export class AuditLog extends Context.Service<AuditLog, {
  add(entry: AuditEntry): Effect.Effect<void>
  /** The entries of an organization, newest first. */
  list(organizationId: OrganizationId, page: PageRequest): Effect.Effect<Page<AuditEntry>>
}>()("@coppice/core/audit/AuditLog") {}
