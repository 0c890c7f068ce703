import { Schema } from "effect"
import { ApiKeyId, OrganizationId, UserId } from "../id.ts"
import { Access, ProjectIds } from "../organization/principal.ts"
import { Name } from "../text.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

/** A credential that a user issued to a program of theirs. The key itself is shown once and only its hash is kept. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  organizationId: OrganizationId,
  userId: UserId,
  name: Name,
  access: Access,
  projectIds: Schema.optionalKey(ProjectIds).annotate({ description: "The projects that it opens; all of them when left out" }),
  lastUsedAt: Schema.optionalKey(Timestamp).annotate({ description: "When it was last used, to the minute" }),
  expiresAt: Schema.optionalKey(Timestamp),
  revokedAt: Schema.optionalKey(Timestamp),
  ...recordTimes
})
export type ApiKey = typeof ApiKey.Type
