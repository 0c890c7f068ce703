import type { Effect } from "effect"
import { Context } from "effect"
import type { ApiKeyId, OrganizationId, UserId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Limit, Usage } from "../rate-limit/rate-limit.ts"
import type { Timestamp } from "../timestamp.ts"
import type { ApiKey } from "./api-key.ts"
import type { Principal } from "../organization/principal.ts"
import type { SecretHash } from "./secret.ts"

/** API keys, found by the hash of what was presented. */
export class ApiKeyStore extends Context.Service<ApiKeyStore, {
  /** Stores a key under its hash. */
  create(key: ApiKey, hash: SecretHash): Effect.Effect<void>
  /** The keys of an organization, or of one user in it, newest first, revoked and expired ones too. */
  list(organizationId: OrganizationId, filter: { readonly userId?: UserId }, page: PageRequest): Effect.Effect<Page<ApiKey>>
  /** The key by that id, revoked and expired ones too; `undefined` when the organization, or the one user in it, has none. */
  find(organizationId: OrganizationId, filter: { readonly userId?: UserId }, id: ApiKeyId): Effect.Effect<ApiKey | undefined>
  /**
   * Ends a key at once, and tells those who listen to what depends on it. Answers the key, or `undefined` when the
   * organization, or the one user in it, has none with that id or name. A key that was revoked before keeps its first `revokedAt`.
   */
  revoke(
    organizationId: OrganizationId,
    filter: { readonly userId?: UserId },
    idOrName: ApiKeyId | string,
    at: Timestamp
  ): Effect.Effect<ApiKey | undefined>
  /**
   * Who presents this, counted against `limit` in the same step (bucket: the key), by the store's clock. `undefined`
   * for what is unknown, expired or revoked, or whose user is no longer a member; that counts nowhere and writes nothing.
   * What holds several requests, as a batch does, counts as `hits` of them.
   */
  authenticate(
    hash: SecretHash,
    limit: Limit,
    hits?: number
  ): Effect.Effect<{ principal: Principal; usage: Usage } | undefined>
  /** Who presents this, as `authenticate` judges it, and counted nowhere. */
  identify(hash: SecretHash): Effect.Effect<Principal | undefined>
}>()("@coppice/core/credential/ApiKeyStore") {}
