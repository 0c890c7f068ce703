import { Failure, MachineId, Name, newId, now, type Project, Text, Workspace, WorkspaceId } from "@coppice/core"
import { WorkspaceStore } from "@coppice/core/ports"
import { DateTime, Effect, Result, Schema } from "effect"
import { assert } from "vitest"
import { failsWith, fiveTimes, idsOf, pagesThrough, property, same, test, twenty } from "./check.ts"
import { newWorkspace, seedHost, seedProject, seedTask, seedTaskStatuses, seedTenant, seedWorkspace } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedProjectOf = Effect.gen(function*() {
  const { organization } = yield* seedTenant
  const host = yield* seedHost(organization.id)
  return { host, organizationId: organization.id, project: yield* seedProject(host) }
})

const statuses = Workspace.fields.status.literals

const fields = Schema.Struct({
  name: Name,
  status: Workspace.fields.status,
  branch: Schema.Literals(["main", "coppice/fix-the-login-3f9a21", "Übung"]),
  baseBranch: Text,
  baseCommit: Schema.optionalKey(Text),
  path: Schema.optionalKey(Text),
  failure: Schema.optionalKey(Failure)
})

const failure = { reason: "setup", message: "npm ci failed." } as const

export const workspaceStoreContract = storeContract("WorkspaceStore", () => [
  property("stores a workspace, and answers it as it was given", fields, (given) =>
    Effect.gen(function*() {
      const store = yield* WorkspaceStore
      const { organizationId, project } = yield* seedProjectOf
      const { id: taskId } = yield* seedTask((yield* seedTaskStatuses(organizationId))[0]!)
      const workspace = yield* seedWorkspace(project, { ...given, taskId })
      same(Workspace, yield* store.get(organizationId, workspace.id), workspace)
      const { items } = yield* store.list(organizationId, { status: given.status }, {})
      same(Schema.Array(Workspace), items, [workspace])
    })),
  test("fails with Conflict while the name is taken in the project", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { host, project } = yield* seedProjectOf
    for (const status of ["creating", "ready", "failed", "deleting"] as const) {
      yield* seedWorkspace(project, { name: status, status })
      yield* failsWith("Conflict", store.create(yield* newWorkspace(project, { name: status })))
    }
    yield* store.create(yield* newWorkspace(yield* seedProject(host), { name: "ready" }))
  })),
  test("frees the name of a workspace that is deleted", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    const first = yield* seedWorkspace(project, { name: "Again", status: "deleting" })
    const second = yield* newWorkspace(project, { name: "Again" })
    yield* failsWith("Conflict", store.create(second))
    yield* store.transition(organizationId, first.id, ["deleting"], "deleted", {}, yield* now)
    yield* store.create(second)
    same(Workspace, yield* store.get(organizationId, "Again"), second)
  })),
  test("gives a name to exactly one of twenty", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    const created = yield* twenty(() =>
      Effect.flatMap(newWorkspace(project, { name: "Wanted" }), (workspace) => Effect.result(store.create(workspace)))
    )
    assert.strictEqual(created.filter(Result.isSuccess).length, 1)
    assert.strictEqual((yield* store.list(organizationId, {}, {})).items.length, 1)
  })),
  test("gets a workspace by id, also when it is deleted", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    for (const status of statuses) {
      const workspace = yield* seedWorkspace(project, { status })
      same(Workspace, yield* store.get(organizationId, workspace.id), workspace)
    }
  })),
  test("gets a workspace by name among those not deleted", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    yield* seedWorkspace(project, { name: "Fix", status: "deleted" })
    assert.isUndefined(yield* store.get(organizationId, "Fix"))
    const workspace = yield* seedWorkspace(project, { name: "Fix" })
    same(Workspace, yield* store.get(organizationId, "Fix"), workspace)
  })),
  test("answers undefined when several workspaces have that name", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { host, organizationId, project } = yield* seedProjectOf
    const workspace = yield* seedWorkspace(project, { name: "Twin" })
    yield* seedWorkspace(yield* seedProject(host), { name: "Twin" })
    assert.isUndefined(yield* store.get(organizationId, "Twin"))
    same(Workspace, yield* store.get(organizationId, workspace.id), workspace)
  })),
  test("answers undefined for a workspace that the organization does not have", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId } = yield* seedProjectOf
    const theirs = yield* seedWorkspace((yield* seedProjectOf).project)
    const at = yield* now
    for (const reference of [theirs.id, theirs.name, yield* newId(WorkspaceId), "no such workspace"]) {
      assert.isUndefined(yield* store.get(organizationId, reference))
    }
    for (const id of [theirs.id, yield* newId(WorkspaceId)]) {
      assert.isUndefined(yield* store.rename(organizationId, id, "Mine", at))
      assert.isUndefined(yield* store.transition(organizationId, id, statuses, "deleting", {}, at))
    }
    same(Workspace, yield* store.get(theirs.organizationId, theirs.id), theirs)
  })),
  test("lists the organization's workspaces, newest first, page by page", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    yield* seedWorkspace((yield* seedProjectOf).project)
    const { organizationId, project } = yield* seedProjectOf
    const workspaces = yield* fiveTimes(seedWorkspace(project))
    yield* pagesThrough(workspaces, (page) => store.list(organizationId, {}, page))
  })),
  test("lists by project, task and status, and deleted workspaces only when status asks for them", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { host, organizationId, project } = yield* seedProjectOf
    const other: Project = yield* seedProject(host)
    const ready = yield* seedWorkspace(project)
    const failed = yield* seedWorkspace(project, { status: "failed", failure })
    const deleted = yield* seedWorkspace(project, { status: "deleted" })
    const status = (yield* seedTaskStatuses(organizationId))[0]!
    const { id: taskId } = yield* seedTask(status)
    yield* seedWorkspace(project, { taskId, status: "deleted" })
    const elsewhere = yield* seedWorkspace(other, { taskId })
    const list = (filter: Parameters<typeof store.list>[1]) =>
      Effect.map(store.list(organizationId, filter, {}), ({ items }) => idsOf(items))
    assert.deepStrictEqual(yield* list({}), [elsewhere.id, failed.id, ready.id])
    assert.deepStrictEqual(yield* list({ projectId: project.id }), [failed.id, ready.id])
    assert.deepStrictEqual(yield* list({ status: "ready" }), [elsewhere.id, ready.id])
    assert.deepStrictEqual(yield* list({ projectId: project.id, status: "ready" }), [ready.id])
    assert.deepStrictEqual(yield* list({ taskId }), [elsewhere.id])
    assert.deepStrictEqual(yield* list({ projectId: project.id, taskId }), [])
    assert.deepStrictEqual(yield* list({ taskId: (yield* seedTask(status)).id }), [])
    assert.deepStrictEqual((yield* list({ projectId: project.id, status: "deleted" })).at(-1), deleted.id)
  })),
  test("renames a workspace", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    const workspace = yield* seedWorkspace(project)
    const later = DateTime.add(workspace.updatedAt, { minutes: 1 })
    const renamed = { ...workspace, name: "Renamed", updatedAt: later }
    same(Workspace, yield* store.rename(organizationId, workspace.id, "Renamed", later), renamed)
    same(Workspace, yield* store.get(organizationId, "Renamed"), renamed)
    same(Workspace, yield* store.rename(organizationId, workspace.id, "Renamed", later), renamed)
  })),
  test("renames with Conflict while the name is taken", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    yield* seedWorkspace(project, { name: "Taken" })
    const workspace = yield* seedWorkspace(project)
    const later = DateTime.add(workspace.updatedAt, { minutes: 1 })
    yield* failsWith("Conflict", store.rename(organizationId, workspace.id, "Taken", later))
    same(Workspace, yield* store.get(organizationId, workspace.id), workspace)
  })),
  test("renames exactly one of twenty to a name", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    const at = yield* now
    const renamed = yield* twenty(() =>
      Effect.flatMap(seedWorkspace(project), ({ id }) => Effect.result(store.rename(organizationId, id, "Wanted", at)))
    )
    assert.strictEqual(renamed.filter(Result.isSuccess).length, 1)
  })),
  test("moves from any of the statuses given, with the patch", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    const workspace = yield* seedWorkspace(project, { status: "creating" })
    const later = DateTime.add(workspace.updatedAt, { minutes: 1 })
    const patch = { path: "/worktrees/one", baseCommit: "f".repeat(40) }
    const moved: Workspace = { ...workspace, ...patch, status: "ready", updatedAt: later }
    const answer = yield* store.transition(organizationId, workspace.id, ["failed", "creating"], "ready", patch, later)
    same(Workspace, answer, moved)
    same(Workspace, yield* store.get(organizationId, workspace.id), moved)
  })),
  test("moves nothing, and answers undefined, from any other status", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    for (const status of statuses) {
      const workspace = yield* seedWorkspace(project, { status })
      const others = statuses.filter((other) => other !== status)
      const at = DateTime.add(workspace.updatedAt, { minutes: 1 })
      assert.isUndefined(yield* store.transition(organizationId, workspace.id, others, "deleting", { path: "/x" }, at))
      assert.isUndefined(yield* store.transition(organizationId, workspace.id, [], "deleting", {}, at))
      same(Workspace, yield* store.get(organizationId, workspace.id), workspace)
    }
  })),
  test("lets exactly one of twenty make a move", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    const { id } = yield* seedWorkspace(project)
    const at = yield* now
    const moved = yield* twenty(() => store.transition(organizationId, id, ["ready"], "deleting", {}, at))
    assert.strictEqual(moved.filter((answer) => answer !== undefined).length, 1)
  })),
  test("keeps a failure while it is failed, and takes it away when it leaves failed", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const { organizationId, project } = yield* seedProjectOf
    const { id } = yield* seedWorkspace(project, { status: "creating" })
    const at = yield* now
    const failed = yield* store.transition(organizationId, id, ["creating"], "failed", { failure }, at)
    assert.deepStrictEqual(failed?.failure, failure)
    const deleting = yield* store.transition(organizationId, id, ["failed"], "deleting", {}, at)
    assert.isFalse("failure" in deleting!)
    assert.isFalse("failure" in (yield* store.get(organizationId, id))!)
    const again = yield* store.transition(organizationId, id, ["deleting"], "failed", { failure }, at)
    assert.deepStrictEqual(again?.failure, failure)
  })),
  test("knows what an interrupted process left creating or deleting on a machine, of every organization", Effect.gen(function*() {
    const store = yield* WorkspaceStore
    const machineId = yield* newId(MachineId)
    const expected: Array<string> = []
    for (const _ of [1, 2]) {
      const host = yield* seedHost((yield* seedTenant).organization.id, { machineId })
      const project = yield* seedProject(host)
      for (const status of statuses) {
        const { id } = yield* seedWorkspace(project, { status })
        if (status === "creating" || status === "deleting") expected.push(id)
      }
    }
    yield* seedWorkspace((yield* seedProjectOf).project, { status: "creating" })
    assert.sameMembers([...idsOf(yield* store.unsettled(machineId))], expected)
  }))
])
