import { Effect, Schema } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { issueSecret } from "../credential/secret.ts"
import { Forbidden, InvalidRequest, notFound } from "../error.ts"
import { MemberId, newId, OAuthClientId, UserId } from "../id.ts"
import { CurrentPrincipal } from "../organization/principal.ts"
import { serviceAddress } from "../organization/service-member-policy.ts"
import type { PageRequest } from "../page.ts"
import { Name } from "../text.ts"
import { now } from "../timestamp.ts"
import { findClient } from "./find-client.ts"
import type { ClientAuthMethod, OAuthClient } from "./oauth-client.ts"
import { OAuthClientStore } from "./oauth-client-store.ts"

const adminOnly = Effect.gen(function*() {
  const principal = yield* CurrentPrincipal
  return principal.role === "member"
    ? yield* new Forbidden({ message: "Only an admin may see or change service clients." })
    : principal
})

const isName = Schema.is(Name)

/**
 * Makes a client for a program that acts for nobody but itself, with the member that it acts as. That member has an
 * address at which nobody can be reached (RFC 2606 section 2), and no password. The secret is answered here and never again.
 */
export const createServiceClient = Effect.fn("createServiceClient")(function*(input: {
  readonly name: string
  /** HTTP Basic when left out. */
  readonly authMethod?: Exclude<ClientAuthMethod, "none">
}) {
  const { organizationId, userId: actorId } = yield* adminOnly
  const { name } = input
  if (!isName(name)) {
    return yield* new InvalidRequest({ message: "A name is one line of 1 to 100 characters, without spaces at its ends." })
  }
  const at = yield* now
  const times = { createdAt: at, updatedAt: at }
  const [id, userId] = [yield* newId(OAuthClientId), yield* newId(UserId)]
  const { hash, secret } = yield* issueSecret("clientSecret")
  const client: OAuthClient = {
    id,
    name,
    redirectUris: [],
    grantTypes: ["client_credentials"],
    authMethod: input.authMethod ?? "client_secret_basic",
    service: { organizationId, userId },
    ...times
  }
  const email = serviceAddress(id)
  const user = { id: userId, email, name, activeOrganizationId: organizationId, ...times }
  const member = { id: yield* newId(MemberId), organizationId, userId, email, name, role: "member" as const, ...times }
  yield* (yield* OAuthClientStore).createService(client, hash, user, member)
  yield* audit({ organizationId, userId: actorId }, "service_client.created", { name, id })
  return { client, secret }
})

export const listServiceClients = Effect.fn("listServiceClients")(function*(page: PageRequest) {
  const { organizationId } = yield* adminOnly
  return yield* (yield* OAuthClientStore).services(organizationId, page)
})

/** A service client of the caller's organization. */
const serviceClient = Effect.fnUntraced(function*(id: string) {
  const { organizationId, userId } = yield* adminOnly
  const client = (yield* findClient(id))?.client
  if (client?.service?.organizationId !== organizationId) return yield* notFound("service client", id)
  return { client, organizationId, userId, subject: { name: client.name ?? client.id, id: client.id } }
})

/** A service client of the caller's organization. For its admins. */
export const getServiceClient = Effect.fn("getServiceClient")(function*(id: string) {
  return (yield* serviceClient(id)).client
})

/** Gives a service client another secret: the one before is worth nothing from then on. Tokens that it got stay. */
export const rotateServiceClientSecret = Effect.fn("rotateServiceClientSecret")(function*(id: string) {
  const { client, organizationId, subject, userId } = yield* serviceClient(id)
  const { hash, secret } = yield* issueSecret("clientSecret")
  if (!(yield* (yield* OAuthClientStore).rotateSecret(organizationId, client.id, hash, yield* now))) {
    return yield* notFound("service client", id)
  }
  yield* audit({ organizationId, userId }, "service_client.secret_rotated", subject)
  return { client, secret }
})

/** Removes a service client with its member: its tokens end at once. */
export const removeServiceClient = Effect.fn("removeServiceClient")(function*(id: string) {
  const { client, organizationId, subject, userId } = yield* serviceClient(id)
  if (!(yield* (yield* OAuthClientStore).remove(organizationId, client.id, yield* now))) {
    return yield* notFound("service client", id)
  }
  yield* audit({ organizationId, userId }, "service_client.removed", subject)
  return client
})
