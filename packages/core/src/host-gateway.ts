import type { Effect } from "effect"
import { Context } from "effect"
import type { AgentLauncher } from "./agent-session/agent-launcher.ts"
import type { HostOffline } from "./host/host-call.ts"
import type { Host } from "./host/host.ts"
import type { Repositories } from "./project/repositories.ts"
import type { Worktrees } from "./workspace/worktrees.ts"

/** What a host lets core do. */
export interface HostConnection {
  readonly repositories: Repositories["Service"]
  readonly worktrees: Worktrees["Service"]
  readonly agentLauncher: AgentLauncher["Service"]
}

/** The way to any host, near or far. Use cases reach a host's repositories, worktrees and agents through this alone. */
export class HostGateway extends Context.Service<HostGateway, {
  /** Fails with `HostOffline` when this process has no way to that host's machine. */
  connect(host: Pick<Host, "machineId" | "name">): Effect.Effect<HostConnection, HostOffline>
}>()("@coppice/core/HostGateway") {}
