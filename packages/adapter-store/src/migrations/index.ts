import { organizations } from "./0001-organizations.ts"
import { hosts } from "./0002-hosts.ts"
import { projects } from "./0003-projects.ts"
import { automations } from "./0004-automations.ts"
import { runs } from "./0005-runs.ts"
import { idempotentCalls } from "./0006-idempotent-calls.ts"
import { tasks } from "./0007-tasks.ts"
import { mcpSessions } from "./0008-mcp-sessions.ts"
import { signIn } from "./0009-sign-in.ts"
import { webhookRefusals } from "./0010-webhook-refusals.ts"
import { oauth } from "./0011-oauth.ts"
import { browserSessions } from "./0012-browser-sessions.ts"
import { mcpSubscriptions } from "./0013-mcp-subscriptions.ts"
import { serviceGrants } from "./0014-service-grants.ts"
import { signInAgain } from "./0015-sign-in-again.ts"
import type { Migration } from "./migration.ts"

/** Every migration, in order. New ones are added at the end; none is ever changed or removed. */
export const migrations: ReadonlyArray<Migration> = [
  organizations,
  hosts,
  projects,
  automations,
  runs,
  idempotentCalls,
  tasks,
  mcpSessions,
  signIn,
  webhookRefusals,
  oauth,
  browserSessions,
  mcpSubscriptions,
  serviceGrants,
  signInAgain
]
