import { Context, Schema } from "effect"
import { ApiKeyId, GrantId, OAuthClientId, OrganizationId, ProjectId, UserId } from "../id.ts"
import { Role } from "./organization.ts"

/** What a credential is for: looking only, or all that its user may do. */
export const Access = Schema.Literals(["read", "full"])
export type Access = typeof Access.Type

/** How many projects a credential can name. */
export const maxProjectIds = 100

/** At least one: a credential for no project at all would open nothing. */
export const ProjectIds = Schema.Array(ProjectId).check(Schema.isMinLength(1), Schema.isMaxLength(maxProjectIds))

/** What a person allowed a client, as each of its access tokens carries it. */
export const GrantedAccess = Schema.Struct({
  id: GrantId,
  clientId: OAuthClientId,
  scope: Schema.Array(Schema.String),
  resource: Schema.String.annotate({ description: "The base address of the service that the token is for" })
})
export type GrantedAccess = typeof GrantedAccess.Type

/** Who is acting, for which organization, by which credential. All of it was frozen when the credential was made. */
export const Principal = Schema.Struct({
  organizationId: OrganizationId,
  userId: UserId,
  role: Role,
  access: Schema.optionalKey(Access).annotate({ description: "Full when left out" }),
  projectIds: Schema.optionalKey(ProjectIds).annotate({ description: "The only projects it may see; all when left out" }),
  apiKeyId: Schema.optionalKey(ApiKeyId),
  grant: Schema.optionalKey(GrantedAccess)
}).annotate({ description: "With neither key nor grant it is a person in a browser, or the operator at the machine" })
export type Principal = typeof Principal.Type

/** The principal of the call that is being served. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "@coppice/core/organization/CurrentPrincipal"
) {}
