import type { Effect } from "effect"
import { Context } from "effect"
import type { SecretHash } from "../credential/secret.ts"
import type { AuthorizationRequestId, GrantId, OrganizationId, UserId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { AuthorizationRequest } from "./authorization-request.ts"
import type { Grant } from "./grant.ts"

/** Requests for a person's leave, and the leave that was given. */
export class GrantStore extends Context.Service<GrantStore, {
  /** Keeps a request until it is decided or expires. */
  begin(request: AuthorizationRequest): Effect.Effect<void>
  /**
   * The request, for the browser that began it. The first user who opens it is the only one who can open it from then
   * on. `undefined` for any other browser or user, and once it was decided or has expired, by the store's clock. Who signed in
   * before its `authenticatedAfter` sees it, and has not opened it: that may yet be somebody else.
   */
  open(
    id: AuthorizationRequestId,
    visit: SecretHash,
    userId: UserId,
    authenticatedAt: Timestamp
  ): Effect.Effect<AuthorizationRequest | undefined>
  /**
   * Decides a request: it can be opened no more. With a grant, that and the hash of the one code for it are stored in the
   * same step. Answers whether it was still open to that browser and to the user, who must have opened it and be a member
   * where the grant is for: of several who decide at once, one does.
   */
  decide(
    id: AuthorizationRequestId,
    visit: SecretHash,
    userId: UserId,
    approval: { readonly grant: Grant; readonly codeHash: SecretHash; readonly codeChallenge: string; readonly codeExpiresAt: Timestamp } | undefined
  ): Effect.Effect<boolean>
  /** The live grants of an organization, or of one user in it, newest first, each with the client's name as that gave it. */
  list(
    organizationId: OrganizationId,
    userId: UserId | undefined,
    page: PageRequest
  ): Effect.Effect<Page<Grant & { readonly clientName?: string }>>
  /** The live grant by that id, of a user's own or of anybody's, as `list` has it; `undefined` when it is not there or over. */
  find(
    organizationId: OrganizationId,
    id: GrantId,
    userId: UserId | undefined
  ): Effect.Effect<(Grant & { readonly clientName?: string }) | undefined>
  /** Ends a grant with its codes and tokens at once, and tells those who listen to what depends on it. Of a user's own, or of anybody's. Answers the grant; `undefined` when it is not there or over. */
  revoke(
    organizationId: OrganizationId,
    id: GrantId,
    userId: UserId | undefined,
    at: Timestamp
  ): Effect.Effect<(Grant & { readonly clientName?: string }) | undefined>
}>()("@coppice/core/oauth/GrantStore") {}
