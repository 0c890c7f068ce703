import { Cause, DateTime, Effect, Option, Stream } from "effect"
import { CurrentPrincipal } from "../organization/principal.ts"
import { Conflict, InvalidRequest, notFound } from "../error.ts"
import type { Failure } from "../failure.ts"
import type { HostConnection } from "../host-gateway.ts"
import type { HostCallError } from "../host/host-call.ts"
import { connectHost } from "../host/host-usecases.ts"
import { newId, type TaskId, WorkspaceId } from "../id.ts"
import type { PageRequest } from "../page.ts"
import { getProject } from "../project/project-usecases.ts"
import type { Project } from "../project/project.ts"
import { getTask } from "../task/task-usecases.ts"
import { now } from "../timestamp.ts"
import { reportSteps } from "../tool/tool-progress.ts"
import { branchFor } from "./workspace-policy.ts"
import { WorkspaceStore } from "./workspace-store.ts"
import type { Workspace, WorkspaceStatus } from "./workspace.ts"
import type { WorktreeEvent, WorktreeFailed, WorktreeRef } from "./worktrees.ts"

const checkoutMinutes = 15
const defaultSetupSeconds = 600

/** The most of a patch that is answered at once. */
export const maxPatchBytes = 1024 * 1024

/** As much of what a set-up command prints at once is told as progress. */
const maxReportedOutput = 1000

/** How a new workspace is wanted. */
export interface WorkspaceSpec {
  readonly name: string
  /** An existing branch to check out. */
  readonly branch?: string
  /** A branch to make; named after the workspace when neither is given. */
  readonly newBranch?: string
  /** What its changes are measured against; the project's base branch when left out. */
  readonly base?: string
  /** The task that it is made for. */
  readonly taskId?: TaskId
}

/** What somebody who follows the making of a workspace is told: first its record, then what happens on the host. */
export interface WorkspaceListener<R = never> {
  readonly onRecord: (workspace: Workspace) => Effect.Effect<void, never, R>
  readonly onEvent: (event: Exclude<WorktreeEvent, { _tag: "Ready" }>) => Effect.Effect<void, never, R>
}

const silent: WorkspaceListener = { onRecord: () => Effect.void, onEvent: () => Effect.void }

/**
 * Makes a workspace of a project: its record first, so that there is no worktree without one, then the worktree. It
 * answers a `ready` workspace; on any failure the record is `failed` with the reason, and the host has undone its part.
 */
export const makeWorkspace = Effect.fn("makeWorkspace")(function*<R = never>(
  project: Project,
  connection: HostConnection,
  spec: WorkspaceSpec,
  listener: WorkspaceListener<R> = silent
) {
  const store = yield* WorkspaceStore
  const id = yield* newId(WorkspaceId)
  const at = yield* now
  const base = spec.base ?? project.baseBranch
  const record: Workspace = {
    id,
    organizationId: project.organizationId,
    name: spec.name,
    projectId: project.id,
    hostId: project.hostId,
    status: "creating",
    branch: spec.branch ?? spec.newBranch ?? branchFor(spec.name, id),
    baseBranch: base,
    ...(spec.taskId === undefined ? {} : { taskId: spec.taskId }),
    createdAt: at,
    updatedAt: at
  }
  const settle = (to: WorkspaceStatus, patch: { path?: string; baseCommit?: string; failure?: Failure }) =>
    Effect.flatMap(now, (at) => store.transition(project.organizationId, id, ["creating"], to, patch, at))

  let ready: (WorktreeEvent & { readonly _tag: "Ready" }) | undefined
  const make = Effect.gen(function*() {
    yield* listener.onRecord(record)
    yield* connection.worktrees.create({
      workspaceId: id,
      projectId: project.id,
      repositoryPath: project.repositoryPath,
      trusted: project.trusted,
      branch: record.branch,
      existingBranch: spec.branch !== undefined,
      base,
      ...(project.setup === undefined ? {} : { setup: project.setup }),
      deadline: DateTime.add(at, {
        seconds: checkoutMinutes * 60 + (project.setup?.timeoutSeconds ?? defaultSetupSeconds)
      })
    }).pipe(
      Stream.runForEach((event) => {
        if (event._tag !== "Ready") return listener.onEvent(event)
        ready = event
        return Effect.void
      })
    )
    return ready ?? (yield* Effect.die(new Error("Worktrees.create must end with Ready")))
  })
  // The host undoes what it did not finish. What it had finished, or may have, is for us to take back.
  const takeBack = (cause: Cause.Cause<WorktreeFailed | InvalidRequest | HostCallError>) => {
    const unfinished = {
      workspaceId: id,
      repositoryPath: project.repositoryPath,
      trusted: project.trusted,
      branch: record.branch
    }
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    const maybeThere = ready !== undefined || error?._tag === "LinkLost"
    return Effect.andThen(
      maybeThere ? Effect.ignore(connection.worktrees.remove(unfinished, { force: true })) : Effect.void,
      settle("failed", { failure: creationFailure(cause) })
    )
  }

  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      yield* store.create(record)
      const { baseCommit, path } = yield* Effect.onError(restore(make), takeBack)
      const workspace = yield* settle("ready", { path, baseCommit })
      if (workspace === undefined) {
        yield* connection.worktrees.remove(worktreeOf(project, { ...record, path, baseCommit }), { force: true })
        return yield* new Conflict({ message: `The workspace "${record.name}" was deleted while it was being made.` })
      }
      return workspace
    })
  )
})

/** What a workspace is recorded to have failed of. */
const creationFailure = (cause: Cause.Cause<WorktreeFailed | InvalidRequest | HostCallError>): Failure => {
  if (Cause.hasInterruptsOnly(cause)) return { reason: "interrupted", message: "The creation was cancelled." }
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag === "WorktreeFailed") return error.failure
  return { reason: "workspace", message: error?.message ?? "The host failed while the worktree was made." }
}

/** How a host is told which worktree is meant. */
export const worktreeOf = (
  project: Project,
  workspace: Workspace & { readonly path: string; readonly baseCommit: string }
): WorktreeRef => ({
  workspaceId: workspace.id,
  repositoryPath: project.repositoryPath,
  trusted: project.trusted,
  path: workspace.path,
  branch: workspace.branch,
  baseCommit: workspace.baseCommit
})

/** Makes a workspace for the caller, and answers when it is ready. */
export const createWorkspace = Effect.fn("createWorkspace")(function*(
  input: Omit<WorkspaceSpec, "taskId"> & { readonly projectId: string; readonly taskId?: string }
) {
  if (input.branch !== undefined && input.newBranch !== undefined) {
    return yield* new InvalidRequest({
      message: "A workspace has one branch.",
      hint: "Give branch for one that exists, or newBranch for one to make."
    })
  }
  const project = yield* getProject(input.projectId)
  const { taskId, ...spec } = input
  const task = taskId === undefined ? {} : { taskId: (yield* getTask(taskId)).id }
  const tell = yield* reportSteps
  return yield* makeWorkspace(project, yield* connectHost(project.hostId), { ...spec, ...task }, {
    onRecord: ({ branch }) => tell(`Making the branch ${branch} and its worktree`),
    onEvent: (event) => tell(event._tag === "Progress" ? event.message : event.text.slice(0, maxReportedOutput))
  })
})

export const getWorkspace = Effect.fn("getWorkspace")(function*(idOrName: string) {
  const { organizationId } = yield* CurrentPrincipal
  return (yield* (yield* WorkspaceStore).get(organizationId, idOrName)) ?? (yield* notFound("workspace", idOrName))
})

export const listWorkspaces = Effect.fn("listWorkspaces")(function*(
  filter: { readonly projectId?: string; readonly taskId?: string; readonly status?: WorkspaceStatus },
  page: PageRequest
) {
  const { organizationId } = yield* CurrentPrincipal
  const { projectId, taskId, ...rest } = filter
  const narrowed = {
    ...rest,
    ...(projectId === undefined ? {} : { projectId: (yield* getProject(projectId)).id }),
    ...(taskId === undefined ? {} : { taskId: (yield* getTask(taskId)).id })
  }
  return yield* (yield* WorkspaceStore).list(organizationId, narrowed, page)
})

export const renameWorkspace = Effect.fn("renameWorkspace")(function*(idOrName: string, name: string) {
  const { id, organizationId } = yield* getWorkspace(idOrName)
  return (yield* (yield* WorkspaceStore).rename(organizationId, id, name, yield* now)) ??
    (yield* notFound("workspace", idOrName))
})

/** A workspace that is ready, the worktree behind it, and the way to its host. */
export const openWorkspace = Effect.fn("openWorkspace")(function*(idOrName: string) {
  const workspace = yield* getWorkspace(idOrName)
  const { baseCommit, path } = workspace
  if (workspace.status !== "ready" || path === undefined || baseCommit === undefined) {
    return yield* new Conflict({
      message: `The workspace "${workspace.name}" is ${workspace.status}.`,
      hint: workspace.failure?.message ?? "This needs a workspace that is ready."
    })
  }
  const project = yield* getProject(workspace.projectId)
  const connection = yield* connectHost(workspace.hostId)
  return { workspace, project, connection, worktree: worktreeOf(project, { ...workspace, path, baseCommit }) }
})

/** What an agent changed: the files, and as a patch if wanted. */
export const diffWorkspace = Effect.fn("diffWorkspace")(function*(idOrName: string, format: "summary" | "patch") {
  const { connection, worktree } = yield* openWorkspace(idOrName)
  return yield* connection.worktrees.diff(worktree, { patch: format === "patch", maxPatchBytes })
})

const pushMinutes = 5

/** Pushes a workspace's branch, with the credentials of whoever operates its host. */
export const pushWorkspace = Effect.fn("pushWorkspace")(function*(idOrName: string, remote: string | undefined) {
  const { connection, project, workspace } = yield* openWorkspace(idOrName)
  const pushed = yield* connection.repositories.push({
    repositoryPath: project.repositoryPath,
    trusted: project.trusted,
    branch: workspace.branch,
    ...(remote === undefined ? {} : { remote }),
    deadline: DateTime.add(yield* now, { minutes: pushMinutes })
  })
  return { branch: workspace.branch, ...pushed }
})
