import type { CurrentPrincipal, Prompt, Resource, Tool } from "@coppice/core"
import type { Effect } from "effect"
import type { AddressLimits } from "./oauth/address-limit.ts"
import type { PageSettings } from "./pages/page-catalog.ts"

/** What the endpoints say and do beyond what the ports give. */
export interface ServiceOptions<R> extends PageSettings {
  /** The tools that MCP clients see, in the order in which they see them. */
  readonly tools: ReadonlyArray<Tool<R | CurrentPrincipal>>
  /** What MCP clients can read by its address, in the order in which they see it. */
  readonly resources: ReadonlyArray<Resource<R | CurrentPrincipal>>
  /** The beginnings of conversations that people choose in MCP clients. */
  readonly prompts: ReadonlyArray<Prompt<R | CurrentPrincipal>>
  /** The version that the service says it has. */
  readonly version: string
  /** What an MCP client tells its model about the service as a whole. */
  readonly instructions: string
  /** Whether the service can do its work now: the database answers, and its migrations are done. */
  readonly ready: Effect.Effect<boolean, never, R>
  /** Whether a defect is an outage that will pass (503), as a lost database, or a mistake (500). */
  readonly isOutage: (defect: unknown) => boolean
  /** Aborted when the service is to stop: what would go on without end ends then. */
  readonly stopping: AbortSignal
  /** How often OAuth clients may register; 120 a minute from one address and 1200 in all when left out. */
  readonly registrations?: AddressLimits
  /** How often browsers may come to ask a person for access; 120 a minute from one address and 6000 in all when left out. */
  readonly authorizations?: AddressLimits
}
