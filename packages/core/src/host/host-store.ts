import type { Effect } from "effect"
import { Context } from "effect"
import type { HostId, MachineId, OrganizationId } from "../id.ts"
import type { Page, PageRequest } from "../page.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Host, MachineFacts } from "./host.ts"

/** Hosts, as each organization sees them. */
export class HostStore extends Context.Service<HostStore, {
  /**
   * The organization's host of that machine: made with `id` when it is new, else brought up to date with the facts.
   * Either way it is online and seen at `at`.
   */
  register(organizationId: OrganizationId, id: HostId, facts: MachineFacts, at: Timestamp): Effect.Effect<Host>
  /** By id or by name; `undefined` when the organization has no such host, or several by that name. */
  get(organizationId: OrganizationId, idOrName: string): Effect.Effect<Host | undefined>
  /** The organization's hosts, newest first. `running` counts the runs in preparation or running, of any organization. */
  list(organizationId: OrganizationId, page: PageRequest): Effect.Effect<Page<Host>>
  /** All hosts of the machine are online and were seen at `at`; the hold reason is the one given, or gone. */
  seen(machineId: MachineId, at: Timestamp, holdReason?: string): Effect.Effect<void>
  /** Puts hosts that were last seen before that instant offline, with the reason. */
  expire(lastSeenBefore: Timestamp, reason: string, at: Timestamp): Effect.Effect<void>
}>()("@coppice/core/host/HostStore") {}
