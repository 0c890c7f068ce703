import { Context, Schema } from "effect"
import { ApiKeyId, OrganizationId, UserId } from "../id.ts"
import { Role } from "./organization.ts"

/** Who is acting, for which organization, by which credential. Both were frozen when the credential was made. */
export const Principal = Schema.Struct({
  organizationId: OrganizationId,
  userId: UserId,
  role: Role,
  apiKeyId: Schema.optionalKey(ApiKeyId).annotate({ description: "Absent for the operator at the machine itself" })
})
export type Principal = typeof Principal.Type

/** The principal of the call that is being served. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "@coppice/core/organization/CurrentPrincipal"
) {}
