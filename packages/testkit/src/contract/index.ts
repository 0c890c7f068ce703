// What an adapter must do, as tests: one contract for each port.
import type { Layer } from "effect"
import { agentLauncherContract } from "./agent-launcher.ts"
import { agentSessionStoreContract } from "./agent-session-store.ts"
import { apiKeyStoreContract } from "./api-key-store.ts"
import { authorizationCodeStoreContract } from "./authorization-code-store.ts"
import { auditLogContract } from "./audit-log.ts"
import { automationStoreContract } from "./automation-store.ts"
import { browserSessionStoreContract } from "./browser-session-store.ts"
import { register } from "./contract.ts"
import { grantStoreContract } from "./grant-store.ts"
import type { HostCapabilities, HostContract, HostPorts } from "./host-fixture.ts"
import { hostStoreContract } from "./host-store.ts"
import { idempotencyStoreContract } from "./idempotency-store.ts"
import { invitationStoreContract } from "./invitation-store.ts"
import { mcpSessionStoreContract } from "./mcp-session-store.ts"
import { memberStoreContract } from "./member-store.ts"
import { oauthClientStoreContract } from "./oauth-client-store.ts"
import { oauthTokenStoreContract } from "./oauth-token-store.ts"
import { mcpQuestionStoreContract } from "./mcp-question-store.ts"
import { mcpSubscriptionStoreContract } from "./mcp-subscription-store.ts"
import { organizationStoreContract } from "./organization-store.ts"
import { projectStoreContract } from "./project-store.ts"
import { rateLimiterContract } from "./rate-limiter.ts"
import { repositoriesContract } from "./repositories.ts"
import { runEventStoreContract } from "./run-event-store.ts"
import { runQueueContract } from "./run-queue.ts"
import { runStoreContract } from "./run-store.ts"
import { signingKeyStoreContract } from "./signing-key-store.ts"
import type { StoreCapabilities, StoreContract, StorePorts } from "./store-contract.ts"
import { taskStatusStoreContract } from "./task-status-store.ts"
import { taskStoreContract } from "./task-store.ts"
import { userStoreContract } from "./user-store.ts"
import { webhookInboxContract } from "./webhook-inbox.ts"
import { webhookRefusalStoreContract } from "./webhook-refusal-store.ts"
import { workspaceStoreContract } from "./workspace-store.ts"
import { worktreesContract } from "./worktrees.ts"

/** The contract of every store port. */
export const allStoreContracts: ReadonlyArray<StoreContract> = [
  agentSessionStoreContract,
  apiKeyStoreContract,
  authorizationCodeStoreContract,
  automationStoreContract,
  grantStoreContract,
  auditLogContract,
  browserSessionStoreContract,
  hostStoreContract,
  idempotencyStoreContract,
  invitationStoreContract,
  mcpSessionStoreContract,
  memberStoreContract,
  oauthClientStoreContract,
  oauthTokenStoreContract,
  mcpQuestionStoreContract,
  mcpSubscriptionStoreContract,
  organizationStoreContract,
  projectStoreContract,
  rateLimiterContract,
  runEventStoreContract,
  runQueueContract,
  runStoreContract,
  signingKeyStoreContract,
  taskStatusStoreContract,
  taskStoreContract,
  userStoreContract,
  webhookInboxContract,
  webhookRefusalStoreContract,
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

/** The contract of every port that reaches a host. */
export const allHostContracts: ReadonlyArray<HostContract> = [agentLauncherContract, repositoriesContract, worktreesContract]

/** Registers the contracts of a host's ports over one layer, which provides the way behind them too. */
export const hostContracts = (
  name: string,
  layer: Layer.Layer<HostPorts, unknown>,
  capabilities: HostCapabilities = { clock: "test" }
): void =>
  register(
    name,
    layer,
    { testClock: capabilities.clock === "test" },
    allHostContracts.map(({ port, tests }) => ({ port, tests: tests(capabilities) }))
  )

export type { Contract, ContractTest } from "./contract.ts"
export { failedTests } from "./contract.ts"
export type { FileChanges, Files, HostCapabilities, HostContract, HostPorts } from "./host-fixture.ts"
export { HostFixture } from "./host-fixture.ts"
export type { StoreCapabilities, StoreContract, StorePorts } from "./store-contract.ts"
export {
  agentLauncherContract,
  agentSessionStoreContract,
  apiKeyStoreContract,
  authorizationCodeStoreContract,
  automationStoreContract,
  grantStoreContract,
  auditLogContract,
  browserSessionStoreContract,
  hostStoreContract,
  idempotencyStoreContract,
  invitationStoreContract,
  mcpSessionStoreContract,
  memberStoreContract,
  oauthClientStoreContract,
  oauthTokenStoreContract,
  mcpQuestionStoreContract,
  mcpSubscriptionStoreContract,
  organizationStoreContract,
  projectStoreContract,
  rateLimiterContract,
  repositoriesContract,
  runEventStoreContract,
  runQueueContract,
  runStoreContract,
  signingKeyStoreContract,
  taskStatusStoreContract,
  taskStoreContract,
  userStoreContract,
  webhookInboxContract,
  webhookRefusalStoreContract,
  workspaceStoreContract,
  worktreesContract
}
