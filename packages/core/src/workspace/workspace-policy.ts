import type { Lifecycle } from "../lifecycle.ts"
import { wordsOf } from "../text.ts"
import type { WorkspaceStatus } from "./workspace.ts"

export const workspaceLifecycle: Lifecycle<WorkspaceStatus> = {
  creating: ["ready", "failed", "deleting"],
  ready: ["deleting"],
  failed: ["deleting"],
  deleting: ["deleted", "ready", "failed"],
  deleted: []
}

/** A word for a branch out of any name: `coppice/fix-the-login-3f9a21`, the end from the id so that two names never meet. */
export const branchFor = (name: string, id: string): string => `coppice/${wordsOf(name) || "workspace"}-${id.slice(-6)}`
