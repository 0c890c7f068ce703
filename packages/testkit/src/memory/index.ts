// Every store in memory: for tests, and for trying things out. Nothing of it outlives the process.
import { Layer } from "effect"
import { agentSessionStoreMemory } from "./agent-session-store.ts"
import { apiKeyStoreMemory } from "./api-key-store.ts"
import { authorizationCodeStoreMemory } from "./authorization-code-store.ts"
import { automationStoreMemory } from "./automation-store.ts"
import { grantStoreMemory } from "./grant-store.ts"
import { auditLogMemory } from "./audit-log.ts"
import { browserSessionStoreMemory } from "./browser-session-store.ts"
import { hostStoreMemory } from "./host-store.ts"
import { idempotencyStoreMemory } from "./idempotency-store.ts"
import { invitationStoreMemory } from "./invitation-store.ts"
import { mcpSessionStoreMemory } from "./mcp-session-store.ts"
import { memberStoreMemory } from "./member-store.ts"
import { mcpQuestionStoreMemory } from "./mcp-question-store.ts"
import { mcpSubscriptionStoreMemory } from "./mcp-subscription-store.ts"
import { MemoryDatabase } from "./memory-database.ts"
import { oauthClientStoreMemory } from "./oauth-client-store.ts"
import { oauthTokenStoreMemory } from "./oauth-token-store.ts"
import { organizationStoreMemory } from "./organization-store.ts"
import { projectStoreMemory } from "./project-store.ts"
import { rateLimiterMemory } from "./rate-limiter.ts"
import { runEventStoreMemory } from "./run-event-store.ts"
import { runQueueMemory } from "./run-queue.ts"
import { runStoreMemory } from "./run-store.ts"
import { signingKeyStoreMemory } from "./signing-key-store.ts"
import { taskStatusStoreMemory } from "./task-status-store.ts"
import { taskStoreMemory } from "./task-store.ts"
import { userStoreMemory } from "./user-store.ts"
import { webhookInboxMemory } from "./webhook-inbox.ts"
import { webhookRefusalStoreMemory } from "./webhook-refusal-store.ts"
import { workspaceStoreMemory } from "./workspace-store.ts"

/** All stores, over a database that is given: for who wants to look into it, or to do to it what no port allows. */
export const memoryStores = Layer.mergeAll(
  agentSessionStoreMemory,
  apiKeyStoreMemory,
  authorizationCodeStoreMemory,
  automationStoreMemory,
  grantStoreMemory,
  auditLogMemory,
  browserSessionStoreMemory,
  hostStoreMemory,
  idempotencyStoreMemory,
  invitationStoreMemory,
  mcpSessionStoreMemory,
  memberStoreMemory,
  oauthClientStoreMemory,
  oauthTokenStoreMemory,
  mcpQuestionStoreMemory,
  mcpSubscriptionStoreMemory,
  organizationStoreMemory,
  projectStoreMemory,
  rateLimiterMemory,
  runEventStoreMemory,
  runQueueMemory,
  runStoreMemory,
  signingKeyStoreMemory,
  taskStatusStoreMemory,
  taskStoreMemory,
  userStoreMemory,
  webhookInboxMemory,
  webhookRefusalStoreMemory,
  workspaceStoreMemory
)

/** All stores over one database. Each runtime that is built from it gets a database of its own. */
export const memoryLayer = memoryStores.pipe(Layer.provide(MemoryDatabase.layer))

/** The ports that `memoryLayer` provides. */
export type MemoryStores = Layer.Success<typeof memoryLayer>

export {
  agentSessionStoreMemory,
  apiKeyStoreMemory,
  authorizationCodeStoreMemory,
  automationStoreMemory,
  grantStoreMemory,
  auditLogMemory,
  browserSessionStoreMemory,
  hostStoreMemory,
  idempotencyStoreMemory,
  invitationStoreMemory,
  mcpSessionStoreMemory,
  memberStoreMemory,
  mcpQuestionStoreMemory,
  mcpSubscriptionStoreMemory,
  MemoryDatabase,
  oauthClientStoreMemory,
  oauthTokenStoreMemory,
  organizationStoreMemory,
  projectStoreMemory,
  rateLimiterMemory,
  runEventStoreMemory,
  runQueueMemory,
  runStoreMemory,
  signingKeyStoreMemory,
  taskStatusStoreMemory,
  taskStoreMemory,
  userStoreMemory,
  webhookInboxMemory,
  webhookRefusalStoreMemory,
  workspaceStoreMemory
}
