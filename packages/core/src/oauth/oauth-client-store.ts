import type { Effect } from "effect"
import { Context } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import type { OAuthClientId, OrganizationId } from "../id.ts"
import type { Member, User } from "../organization/organization.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { OAuthClient } from "./oauth-client.ts"

/** Clients of the authorization server. Those that registered themselves, and have had no live grant for long, are swept. */
export class OAuthClientStore extends Context.Service<OAuthClientStore, {
  /** Stores a client that registered itself, with the hash of its secret where it has one. */
  register(client: OAuthClient, secretHash?: SecretHash): Effect.Effect<void>
  /** Stores a service client with the member that it acts as, in one step. */
  createService(client: OAuthClient, secretHash: SecretHash, user: User, member: Member): Effect.Effect<void>
  find(id: OAuthClientId): Effect.Effect<{ readonly client: OAuthClient; readonly secretHash?: SecretHash } | undefined>
  /** The service clients of an organization, newest first. */
  services(organizationId: OrganizationId, page: PageRequest): Effect.Effect<Page<OAuthClient>>
  /** Replaces the secret of a service client; the one before is worth nothing from then on. */
  rotateSecret(organizationId: OrganizationId, id: OAuthClientId, secretHash: SecretHash, at: Timestamp): Effect.Effect<boolean>
  /** Removes a service client and its member; its tokens end at once, and those who listen to what depends on them are told. */
  remove(organizationId: OrganizationId, id: OAuthClientId, at: Timestamp): Effect.Effect<boolean>
}>()("@coppice/core/oauth/OAuthClientStore") {}
