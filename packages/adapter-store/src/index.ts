import { Layer } from "effect"
import { agentSessionStoreLayer } from "./agent-session-store.ts"
import { apiKeyStoreLayer } from "./api-key-store.ts"
import { auditLogLayer } from "./audit-log.ts"
import { automationStoreLayer } from "./automation-store.ts"
import { browserSessionStoreLayer } from "./browser-session-store.ts"
import { hostStoreLayer } from "./host-store.ts"
import { idempotencyStoreLayer } from "./idempotency-store.ts"
import { invitationStoreLayer } from "./invitation-store.ts"
import { mcpSessionStoreLayer } from "./mcp-session-store.ts"
import { memberStoreLayer } from "./member-store.ts"
import { organizationStoreLayer } from "./organization-store.ts"
import { projectStoreLayer } from "./project-store.ts"
import { rateLimiterLayer } from "./rate-limiter.ts"
import { runEventStoreLayer } from "./run-event-store.ts"
import { runQueueLayer } from "./run-queue.ts"
import { runStoreLayer } from "./run-store.ts"
import { sweepLayer } from "./sweep.ts"
import { taskStatusStoreLayer } from "./task-status-store.ts"
import { taskStoreLayer } from "./task-store.ts"
import { userStoreLayer } from "./user-store.ts"
import { webhookInboxLayer } from "./webhook-inbox.ts"
import { workspaceStoreLayer } from "./workspace-store.ts"

export { embeddedLayer, type EmbeddedOptions, EmbeddedUnavailable } from "./embedded.ts"
export { checkDatabase, DatabaseNotReady, migrate, MigrationRefused } from "./migrate.ts"
export { postgresLayer, type PostgresOptions, PostgresUnavailable } from "./postgres.ts"

/** Every store port on a migrated database, whichever client reaches it. */
export const storeLayer = Layer.mergeAll(
  agentSessionStoreLayer,
  apiKeyStoreLayer,
  auditLogLayer,
  automationStoreLayer,
  browserSessionStoreLayer,
  hostStoreLayer,
  idempotencyStoreLayer,
  invitationStoreLayer,
  mcpSessionStoreLayer,
  memberStoreLayer,
  organizationStoreLayer,
  projectStoreLayer,
  rateLimiterLayer,
  runEventStoreLayer,
  runQueueLayer,
  runStoreLayer,
  taskStatusStoreLayer,
  taskStoreLayer,
  userStoreLayer,
  webhookInboxLayer,
  workspaceStoreLayer,
  sweepLayer
)
