import type { Failure, WorktreeEvent, WorktreeRequest } from "@coppice/core"
import { Conflict, InvalidRequest, WorktreeFailed } from "@coppice/core"
import type { Worktrees } from "@coppice/core/ports"
import { Clock, Effect, Result, Scope, Stream } from "effect"
import { linkLost } from "./calls.ts"
import { addCommit, filesOf, isIgnored, linesOf, resolve, tracked, unmergedCommits } from "./git.ts"
import type { FakeWorktree, Machine } from "./machine.ts"
import { changeWorktree, findWorktree, headOf, isDirty } from "./machine.ts"
import type { SetupScript } from "./setup-command.ts"
import { changesOf, patchOf } from "./worktree-diff.ts"

/** What a test scripts of the making of worktrees. */
export interface WorktreeScript {
  setup: SetupScript
  /** How the next creations fail, one after the other. */
  readonly failures: Array<Failure>
}

const defaultSetupSeconds = 600

const failed = (reason: Failure["reason"], message: string) => new WorktreeFailed({ failure: { reason, message } })

/** The ignored files that `.worktreeinclude` names, as the repository's own working tree has them. */
const included = (ignored: ReadonlyMap<string, string>, files: ReadonlyMap<string, string>) => {
  const wanted = linesOf(files.get(".worktreeinclude") ?? "")
  return [...ignored].filter(([path]) => wanted.includes(path) && isIgnored(files, path) && !files.has(path))
}

export const fakeWorktrees = (machine: Machine, script: WorktreeScript): Worktrees["Service"] => {
  const { calls } = machine

  /** Checks a request and makes the worktree, which nobody may use yet. */
  const begin = (request: WorktreeRequest): Result.Result<FakeWorktree, WorktreeFailed | InvalidRequest> => {
    const { base, branch, existingBranch, repositoryPath, workspaceId } = request
    const repository = machine.repositories.get(repositoryPath)
    if (repository === undefined) {
      return Result.fail(new InvalidRequest({ message: `There is no Git repository at ${repositoryPath}.` }))
    }
    const baseCommit = resolve(repository, base)
    if (baseCommit === undefined) return Result.fail(failed("workspace", `There is no branch, tag or commit "${base}".`))
    if (existingBranch !== repository.branches.has(branch)) {
      return Result.fail(failed("workspace", `The branch ${branch} ${existingBranch ? "is not there" : "is there already"}.`))
    }
    const user = [...machine.worktrees.values()].find((other) =>
      other.repositoryPath === repositoryPath && other.branch === branch
    )
    if (user !== undefined || repository.defaultBranch === branch) {
      return Result.fail(failed("workspace", `The branch ${branch} is checked out elsewhere.`))
    }
    if (!existingBranch) repository.branches.set(branch, baseCommit)
    const path = `/data/worktrees/${request.projectId}/${workspaceId}`
    const files = filesOf(repository, repository.branches.get(branch))
    const worktree = {
      workspaceId,
      repositoryPath,
      path,
      branch,
      baseCommit,
      madeBranch: !existingBranch,
      ready: false,
      files: new Map([...files, ...included(repository.ignoredFiles, files)])
    }
    machine.worktrees.set(path, worktree)
    return Result.succeed(worktree)
  }

  const undo = (worktree: FakeWorktree) => {
    machine.worktrees.delete(worktree.path)
    if (worktree.madeBranch) machine.repositories.get(worktree.repositoryPath)?.branches.delete(worktree.branch)
  }

  const setUp = (worktree: FakeWorktree, command: ReadonlyArray<string>) =>
    Stream.unwrap(Effect.map(script.setup(command), ({ changes, exitCode, output }) => {
      changeWorktree(worktree, changes ?? {})
      const printed = output === undefined ? Stream.empty : Stream.succeed<WorktreeEvent>({ _tag: "SetupOutput", text: output })
      return exitCode === 0
        ? printed
        : Stream.concat(printed, Stream.fail(failed("setup", `${command.join(" ")} exited with code ${exitCode}.`)))
    }))

  const create = (request: WorktreeRequest) =>
    Effect.gen(function*() {
      const { call, trouble } = yield* calls.begin("Worktrees.create", request)
      yield* Effect.addFinalizer(() => calls.end(call))
      yield* calls.reach(trouble)
      const lock = machine.workspaceLock(request.workspaceId)
      yield* Effect.acquireRelease(lock.take(1), () => lock.release(1), { interruptible: true })
      const known = [...machine.worktrees.values()].find((other) => other.workspaceId === request.workspaceId && other.ready)
      if (known !== undefined) {
        return Stream.succeed<WorktreeEvent>({ _tag: "Ready", path: known.path, baseCommit: known.baseCommit })
      }
      const at = yield* Clock.currentTimeMillis
      const setupMillis = (request.setup?.timeoutSeconds ?? defaultSetupSeconds) * 1000
      const left = request.deadline.epochMilliseconds - at
      if (left <= 0) return yield* failed("timeout", "The deadline for making the worktree has passed.")
      const failure = script.failures.shift()
      const worktree = yield* Effect.fromResult(begin(request))
      const scope = yield* Scope.Scope
      yield* Scope.addFinalizer(scope, Effect.sync(() => worktree.ready || undo(worktree)))
      if (failure !== undefined) return yield* new WorktreeFailed({ failure })
      const ready = Stream.suspend(() => {
        worktree.ready = true
        const event: WorktreeEvent = { _tag: "Ready", path: worktree.path, baseCommit: worktree.baseCommit }
        return trouble === "link_lost_after" ? Stream.fail(linkLost()) : Stream.succeed(event)
      })
      const tooLate = Effect.andThen(
        Effect.sleep(Math.min(left, setupMillis)),
        Effect.fail(failed("timeout", "The worktree was not ready in time."))
      )
      return Stream.succeed<WorktreeEvent>({ _tag: "Progress", message: `Checked out ${worktree.branch}` }).pipe(
        Stream.concat(
          Stream.fromIterable(request.setup?.commands ?? []).pipe(Stream.flatMap((command) => setUp(worktree, command)))
        ),
        Stream.interruptWhen(tooLate),
        Stream.concat(ready)
      )
    }).pipe(Stream.unwrap)

  return {
    create,
    list: (repositoryPath) =>
      calls.call(
        "Worktrees.list",
        repositoryPath,
        Effect.suspend(() => {
          const repository = machine.repositories.get(repositoryPath)
          if (repository === undefined) {
            return Effect.fail(new InvalidRequest({ message: `There is no Git repository at ${repositoryPath}.` }))
          }
          return Effect.succeed(
            [...machine.worktrees.values()].filter((worktree) => worktree.repositoryPath === repositoryPath).map((worktree) => ({
              workspaceId: worktree.workspaceId,
              path: worktree.path,
              branch: worktree.branch,
              headCommit: headOf(repository, worktree)
            }))
          )
        })
      ),
    status: (ref) =>
      calls.call(
        "Worktrees.status",
        ref,
        Effect.map(findWorktree(machine, ref.repositoryPath, ref.path), ({ head, repository, worktree }) => ({
          dirty: isDirty(repository, worktree),
          unmergedCommits: unmergedCommits(repository, worktree.branch, head, ref.baseCommit),
          headCommit: head
        }))
      ),
    diff: (ref, options) =>
      calls.call(
        "Worktrees.diff",
        { ref, options },
        Effect.map(findWorktree(machine, ref.repositoryPath, ref.path), ({ repository, worktree }) => {
          const changes = changesOf(filesOf(repository, ref.baseCommit), tracked(worktree.files))
          const files = changes.map(({ file }) => file)
          return options.patch ? { files, ...patchOf(changes, options.maxPatchBytes) } : { files, truncated: false }
        })
      ),
    remove: (ref, { force }) =>
      calls.call(
        "Worktrees.remove",
        { ref, force },
        Effect.suspend((): Effect.Effect<{ readonly rescueRef?: string }, Conflict> => {
          const repository = machine.repositories.get(ref.repositoryPath)
          const worktree = [...machine.worktrees.values()].find((other) => other.workspaceId === ref.workspaceId)
          if (repository === undefined || worktree === undefined) return Effect.succeed({})
          const head = headOf(repository, worktree)
          const unmerged = unmergedCommits(repository, worktree.branch, head, worktree.baseCommit)
          const dirty = isDirty(repository, worktree)
          if ((dirty || unmerged > 0) && !force) {
            const what = dirty ? "changes that are not committed" : "commits that are not merged"
            return Effect.fail(new Conflict({ message: `The worktree has ${what}.`, hint: "Delete it with force to give them up." }))
          }
          machine.worktrees.delete(worktree.path)
          if (worktree.branch.startsWith("coppice/") && unmerged === 0) repository.branches.delete(worktree.branch)
          if (!dirty && unmerged === 0) return Effect.succeed({})
          const rescueRef = `refs/coppice/rescue/${worktree.workspaceId}`
          repository.refs.set(rescueRef, dirty ? addCommit(repository, head, tracked(worktree.files)) : head)
          return Effect.succeed({ rescueRef })
        })
      ),
    freeBytes: () => calls.call("Worktrees.freeBytes", undefined, Effect.sync(() => machine.freeBytes))
  }
}
