import type { Repositories } from "@coppice/core/ports"
import type { Git } from "./git/git.ts"
import type { HostContext } from "./host-context.ts"
import { makeKeyedLock } from "./keyed-lock.ts"
import { cloneRepository } from "./repository/clone.ts"
import { inspectRepository } from "./repository/inspect.ts"
import { pushBranch } from "./repository/push.ts"

/** The repositories of this machine. */
export const makeRepositories = (context: HostContext, git: Git): Repositories["Service"] => {
  const exclusively = makeKeyedLock()
  return {
    inspect: (path) => inspectRepository(context, git, path),
    clone: (request) => exclusively(request.projectId, cloneRepository(context, git, request)),
    push: (request) => pushBranch(context, git, request)
  }
}
