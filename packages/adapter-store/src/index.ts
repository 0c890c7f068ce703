import { Layer } from "effect"
import { agentSessionStoreLayer } from "./agent-session-store.ts"
import { apiKeyStoreLayer } from "./api-key-store.ts"
import { authorizationCodeStoreLayer } from "./authorization-code-store.ts"
import { automationStoreLayer } from "./automation-store.ts"
import { grantStoreLayer } from "./grant-store.ts"
import { auditLogLayer } from "./audit-log.ts"
import { browserSessionStoreLayer } from "./browser-session-store.ts"
import { hostStoreLayer } from "./host-store.ts"
import { idempotencyStoreLayer } from "./idempotency-store.ts"
import { invitationStoreLayer } from "./invitation-store.ts"
import { mcpSessionStoreLayer } from "./mcp-session-store.ts"
import { memberStoreLayer } from "./member-store.ts"
import { oauthClientStoreLayer } from "./oauth-client-store.ts"
import { oauthTokenStoreLayer } from "./oauth-token-store.ts"
import { mcpQuestionStoreLayer } from "./mcp-question-store.ts"
import { mcpSubscriptionStoreLayer } from "./mcp-subscription-store.ts"
import { organizationStoreLayer } from "./organization-store.ts"
import { projectStoreLayer } from "./project-store.ts"
import { rateLimiterLayer } from "./rate-limiter.ts"
import { runEventStoreLayer } from "./run-event-store.ts"
import { runQueueLayer } from "./run-queue.ts"
import { runStoreLayer } from "./run-store.ts"
import { signingKeyStoreLayer } from "./signing-key-store.ts"
import { sweepLayer } from "./sweep.ts"
import { taskStatusStoreLayer } from "./task-status-store.ts"
import { taskStoreLayer } from "./task-store.ts"
import { userStoreLayer } from "./user-store.ts"
import { webhookInboxLayer } from "./webhook-inbox.ts"
import { webhookRefusalStoreLayer } from "./webhook-refusal-store.ts"
import { workspaceStoreLayer } from "./workspace-store.ts"

export { embeddedLayer, type EmbeddedOptions, EmbeddedUnavailable } from "./embedded.ts"
export { checkDatabase, DatabaseNotReady, migrate, MigrationRefused } from "./migrate.ts"
export { postgresLayer, type PostgresOptions, PostgresUnavailable } from "./postgres.ts"

/** Every store port on a migrated database, whichever client reaches it. */
export const storeLayer = Layer.mergeAll(
  agentSessionStoreLayer,
  apiKeyStoreLayer,
  authorizationCodeStoreLayer,
  automationStoreLayer,
  grantStoreLayer,
  auditLogLayer,
  browserSessionStoreLayer,
  hostStoreLayer,
  idempotencyStoreLayer,
  invitationStoreLayer,
  mcpSessionStoreLayer,
  memberStoreLayer,
  oauthClientStoreLayer,
  oauthTokenStoreLayer,
  mcpQuestionStoreLayer,
  mcpSubscriptionStoreLayer,
  organizationStoreLayer,
  projectStoreLayer,
  rateLimiterLayer,
  runEventStoreLayer,
  runQueueLayer,
  runStoreLayer,
  signingKeyStoreLayer,
  taskStatusStoreLayer,
  taskStoreLayer,
  userStoreLayer,
  webhookInboxLayer,
  webhookRefusalStoreLayer,
  workspaceStoreLayer,
  sweepLayer
)
