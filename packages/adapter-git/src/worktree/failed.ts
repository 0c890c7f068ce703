import type { FailureReason } from "@coppice/core"
import { WorktreeFailed } from "@coppice/core"

export const worktreeFailed = (reason: FailureReason, message: string): WorktreeFailed =>
  new WorktreeFailed({ failure: { reason, message } })
