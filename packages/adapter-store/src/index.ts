import { Layer } from "effect"
import { agentSessionStoreLayer } from "./agent-session-store.ts"
import { apiKeyStoreLayer } from "./api-key-store.ts"
import { automationStoreLayer } from "./automation-store.ts"
import { hostStoreLayer } from "./host-store.ts"
import { idempotencyStoreLayer } from "./idempotency-store.ts"
import { mcpQuestionStoreLayer } from "./mcp-question-store.ts"
import { mcpSessionStoreLayer } from "./mcp-session-store.ts"
import { mcpSubscriptionStoreLayer } from "./mcp-subscription-store.ts"
import { organizationStoreLayer } from "./organization-store.ts"
import { projectStoreLayer } from "./project-store.ts"
import { runEventStoreLayer } from "./run-event-store.ts"
import { runQueueLayer } from "./run-queue.ts"
import { runStoreLayer } from "./run-store.ts"
import { sweepLayer } from "./sweep.ts"
import { taskStatusStoreLayer } from "./task-status-store.ts"
import { taskStoreLayer } from "./task-store.ts"
import { webhookInboxLayer } from "./webhook-inbox.ts"
import { workspaceStoreLayer } from "./workspace-store.ts"

export { embeddedLayer, type EmbeddedOptions, EmbeddedUnavailable } from "./embedded.ts"
export { checkDatabase, DatabaseNotReady, migrate, MigrationRefused } from "./migrate.ts"
export { postgresLayer, type PostgresOptions, PostgresUnavailable } from "./postgres.ts"

/** Every store port on a migrated database, whichever client reaches it. */
export const storeLayer = Layer.mergeAll(
  agentSessionStoreLayer,
  apiKeyStoreLayer,
  automationStoreLayer,
  hostStoreLayer,
  idempotencyStoreLayer,
  mcpQuestionStoreLayer,
  mcpSessionStoreLayer,
  mcpSubscriptionStoreLayer,
  organizationStoreLayer,
  projectStoreLayer,
  runEventStoreLayer,
  runQueueLayer,
  runStoreLayer,
  taskStatusStoreLayer,
  taskStoreLayer,
  webhookInboxLayer,
  workspaceStoreLayer,
  sweepLayer
)
