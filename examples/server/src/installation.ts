import { type MachineId, type OrganizationId, registerHost } from "@coppice/core"
import { HostGateway } from "@coppice/core/ports"
import { Context, Effect } from "effect"
import type { Config } from "./config/config.ts"

/** What is fixed for the life of this process: its configuration, its machine, and where it is reached. */
export class Installation extends Context.Service<Installation, {
  readonly config: Config
  readonly machine: { readonly machineId: MachineId; readonly name: string }
  /** The public base address; where none is configured, the one that the server listens on, or would. */
  readonly baseUrl: () => string
  /** Told once the server listens. */
  readonly listensOn: (url: string) => void
}>()("@coppice/server/Installation") {}

/** Makes this machine a host of an organization, with the agents that can be used here now. */
export const registerThisHost = Effect.fn("registerThisHost")(function*(organizationId: OrganizationId) {
  const { config, machine } = yield* Installation
  const { agentLauncher } = yield* (yield* HostGateway).connect(machine)
  const agents = yield* agentLauncher.agents()
  return yield* registerHost(organizationId, {
    ...machine,
    platform: `${process.platform}-${process.arch}`,
    agents: agents.filter((agent) => agent.unavailableReason === undefined).map((agent) => agent.id),
    maxConcurrentRuns: config.maxConcurrentRuns
  })
})
