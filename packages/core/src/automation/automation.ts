import { Context, Schema } from "effect"
import type { ErrorCode } from "../error-code.ts"
import { AutomationId, OrganizationId, ProjectId, UserId, WorkspaceId } from "../id.ts"
import { Name, Text } from "../text.ts"
import { recordTimes, Timestamp } from "../timestamp.ts"

export const AutomationStatus = Schema.Literals(["active", "paused"])
export type AutomationStatus = typeof AutomationStatus.Type

/** `fresh`: each run gets a workspace of its own. `reuse`: all runs share one, one run at a time. */
export const WorkspaceMode = Schema.Literals(["fresh", "reuse"])
export type WorkspaceMode = typeof WorkspaceMode.Type

export const TimeoutSeconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 604_800 }))
export const MaxConcurrentRuns = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
export const MaxAttempts = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))

/** What a webhook, or a person, starts again and again: a prompt for an agent on a project. */
export const Automation = Schema.Struct({
  id: AutomationId,
  organizationId: OrganizationId,
  name: Name,
  status: AutomationStatus,
  prompt: Text,
  agent: Schema.String.annotate({ description: "Id of a coding agent of the project's host" }),
  projectId: ProjectId,
  workspaceMode: WorkspaceMode,
  workspaceId: Schema.optionalKey(WorkspaceId).annotate({ description: "The workspace that `reuse` runs share" }),
  timeoutSeconds: TimeoutSeconds,
  maxConcurrentRuns: Schema.optionalKey(MaxConcurrentRuns),
  maxAttempts: MaxAttempts,
  ownerId: UserId,
  webhookTokenAt: Schema.optionalKey(Timestamp).annotate({
    description: "When its webhook token was generated; absent while it has none"
  }),
  ...recordTimes
})
export type Automation = typeof Automation.Type

/** What of an automation may change. `null` takes the cap away. */
export interface AutomationPatch {
  readonly name?: string
  readonly prompt?: string
  readonly agent?: string
  readonly workspaceMode?: "fresh" | "reuse"
  readonly workspaceId?: WorkspaceId | null
  readonly timeoutSeconds?: number
  readonly maxConcurrentRuns?: number | null
  readonly maxAttempts?: number
}

/** What an automation gets that says nothing else; a composition may provide others. */
export const AutomationDefaults = Context.Reference("@coppice/core/automation/AutomationDefaults", {
  defaultValue: () => ({ timeoutSeconds: 3600, maxAttempts: 2 })
})

/** The automation is paused, and starts no run until it is resumed. */
export class AutomationPaused extends Schema.TaggedError<AutomationPaused>()("AutomationPaused", {
  message: Schema.String,
  hint: Schema.optionalKey(Schema.String)
}) {
  readonly code = "AUTOMATION_PAUSED" satisfies ErrorCode
}

export const automationPaused = (name: string): AutomationPaused =>
  new AutomationPaused({ message: `The automation "${name}" is paused.`, hint: "Resume it, then send this again." })
