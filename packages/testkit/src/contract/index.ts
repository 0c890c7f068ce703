// What an adapter must do, as tests: one contract for each port.
import { Layer } from "effect"
import { agentSessionStoreContract } from "./agent-session-store.ts"
import { apiKeyStoreContract } from "./api-key-store.ts"
import { automationStoreContract } from "./automation-store.ts"
import { register } from "./contract.ts"
import { hostStoreContract } from "./host-store.ts"
import { idempotencyStoreContract } from "./idempotency-store.ts"
import { organizationStoreContract } from "./organization-store.ts"
import { projectStoreContract } from "./project-store.ts"
import { runEventStoreContract } from "./run-event-store.ts"
import { runQueueContract } from "./run-queue.ts"
import { runStoreContract } from "./run-store.ts"
import type { StoreCapabilities, StoreContract, StorePorts } from "./store-contract.ts"
import { webhookInboxContract } from "./webhook-inbox.ts"
import { workspaceStoreContract } from "./workspace-store.ts"

/** The contract of every store port. */
export const allStoreContracts: ReadonlyArray<StoreContract> = [
  agentSessionStoreContract,
  apiKeyStoreContract,
  automationStoreContract,
  hostStoreContract,
  idempotencyStoreContract,
  organizationStoreContract,
  projectStoreContract,
  runEventStoreContract,
  runQueueContract,
  runStoreContract,
  webhookInboxContract,
  workspaceStoreContract
]

/**
 * Registers the contracts of all stores over one layer. No other client may use the same database meanwhile, because some
 * verbs touch all of it.
 */
export const storeContracts = (
  name: string,
  layer: Layer.Layer<StorePorts, unknown>,
  capabilities: StoreCapabilities = { clock: "test" }
): void =>
  register(
    name,
    layer,
    { testClock: capabilities.clock === "test" },
    allStoreContracts.map(({ port, tests }) => ({ port, tests: tests(capabilities) }))
  )

export type { Contract, ContractTest } from "./contract.ts"
export { failedTests } from "./contract.ts"
export type { StoreCapabilities, StoreContract, StorePorts } from "./store-contract.ts"
export {
  agentSessionStoreContract,
  apiKeyStoreContract,
  automationStoreContract,
  hostStoreContract,
  idempotencyStoreContract,
  organizationStoreContract,
  projectStoreContract,
  runEventStoreContract,
  runQueueContract,
  runStoreContract,
  webhookInboxContract,
  workspaceStoreContract
}
