import { Effect } from "effect"
import { Forbidden } from "../error.ts"
import { AuditEntryId, newId, type OrganizationId, type UserId } from "../id.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import type { PageRequest } from "../page.ts"
import { now } from "../timestamp.ts"
import { type AuditAction, CallerAddress } from "./audit-entry.ts"
import { AuditLog } from "./audit-log.ts"

/** Writes down what was done, in which organization and by whom; from where is what the call says. */
export const audit = Effect.fn("audit")(function*(
  by: { readonly organizationId: OrganizationId; readonly userId?: UserId },
  action: AuditAction,
  subject: { readonly name: string; readonly id?: string }
) {
  const entry = {
    id: yield* newId(AuditEntryId),
    organizationId: by.organizationId,
    action,
    ...(by.userId === undefined ? {} : { actorId: by.userId }),
    subject: subject.name,
    ...(subject.id === undefined ? {} : { subjectId: subject.id }),
    address: yield* CallerAddress,
    at: yield* now
  }
  yield* (yield* AuditLog).add(entry)
})

/** What was done in the caller's organization, newest first. For its admins. */
export const listAuditEntries = Effect.fn("listAuditEntries")(function*(page: PageRequest) {
  const principal = yield* CurrentPrincipal
  if (principal.role === "member") {
    return yield* new Forbidden({ message: "Only an admin may read the audit log." })
  }
  return yield* (yield* AuditLog).list(principal.organizationId, page)
})
