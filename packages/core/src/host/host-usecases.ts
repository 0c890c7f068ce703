import { Effect } from "effect"
import { CurrentPrincipal } from "../organization/principal.ts"
import { InvalidRequest, notFound } from "../error.ts"
import { HostGateway } from "../host-gateway.ts"
import { HostId, newId, type OrganizationId } from "../id.ts"
import type { PageRequest } from "../page.ts"
import { now } from "../timestamp.ts"
import { HostOffline } from "./host-call.ts"
import { HostStore } from "./host-store.ts"
import type { MachineFacts } from "./host.ts"

/** Makes a machine a host of an organization, or brings what is known of it up to date. */
export const registerHost = Effect.fn("registerHost")(function*(organizationId: OrganizationId, facts: MachineFacts) {
  return yield* (yield* HostStore).register(organizationId, yield* newId(HostId), facts, yield* now)
})

export const listHosts = Effect.fn("listHosts")(function*(page: PageRequest) {
  const { organizationId } = yield* CurrentPrincipal
  return yield* (yield* HostStore).list(organizationId, page)
})

export const getHost = Effect.fn("getHost")(function*(idOrName: string) {
  const { organizationId } = yield* CurrentPrincipal
  return (yield* (yield* HostStore).get(organizationId, idOrName)) ?? (yield* notFound("host", idOrName))
})

/** The host that was named, or without a name the only one there is. */
export const chooseHost = Effect.fn("chooseHost")(function*(idOrName: string | undefined) {
  if (idOrName !== undefined) return yield* getHost(idOrName)
  const { items: hosts } = yield* listHosts({ limit: 2 })
  const [host, another] = hosts
  if (host === undefined) {
    return yield* new HostOffline({ message: "There is no host yet.", hint: "Start the server where the agents run." })
  }
  if (another !== undefined) {
    return yield* new InvalidRequest({
      message: "There are several hosts.",
      hint: "Name one of them as hostId; hosts_list shows them."
    })
  }
  return host
})

/** The way to a host of the caller's organization. */
export const connectHost = Effect.fn("connectHost")(function*(hostId: HostId) {
  const host = yield* getHost(hostId)
  return yield* (yield* HostGateway).connect(host)
})
