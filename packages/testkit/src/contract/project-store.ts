import { Name, newId, now, Project, ProjectId, Setup } from "@coppice/core"
import { AgentSessionStore, AutomationStore, ProjectStore, WorkspaceStore } from "@coppice/core/ports"
import { DateTime, Effect, Result, Schema } from "effect"
import { assert } from "vitest"
import { failsWith, fiveTimes, pagesThrough, property, same, test, twenty } from "./check.ts"
import {
  newAutomation,
  newProject,
  newWorkspace,
  seedAutomation,
  seedHost,
  seedProject,
  seedSession,
  seedTenant,
  seedWorkspace,
  seedWorld
} from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedProjectOf = Effect.gen(function*() {
  const tenant = yield* seedTenant
  const host = yield* seedHost(tenant.organization.id)
  return { tenant, host, project: yield* seedProject(host) }
})

const fields = Schema.Struct({
  name: Name,
  repositoryPath: Name,
  repositoryUrl: Schema.optionalKey(Name),
  baseBranch: Schema.Literals(["main", "release/1.x", "Übung", "a@b"]),
  setup: Schema.optionalKey(Setup),
  trusted: Schema.Boolean
})

export const projectStoreContract = storeContract("ProjectStore", () => [
  property("stores a project, and answers it as it was given", fields, (given) =>
    Effect.gen(function*() {
      const store = yield* ProjectStore
      const host = yield* seedHost((yield* seedTenant).organization.id)
      const project = yield* seedProject(host, given)
      same(Project, yield* store.get(host.organizationId, project.id), project)
      same(Schema.Array(Project), (yield* store.list(host.organizationId, {})).items, [project])
    })),
  test("fails with Conflict while the name is taken in the organization", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { host, project } = yield* seedProjectOf
    yield* failsWith("Conflict", store.create(yield* newProject(host, { name: project.name })))
    assert.strictEqual((yield* store.list(host.organizationId, {})).items.length, 1)
    const elsewhere = yield* seedHost((yield* seedTenant).organization.id)
    yield* store.create(yield* newProject(elsewhere, { name: project.name }))
    yield* store.remove(host.organizationId, project.id)
    yield* store.create(yield* newProject(host, { name: project.name }))
  })),
  test("gives a name to exactly one of twenty", Effect.gen(function*() {
    const store = yield* ProjectStore
    const host = yield* seedHost((yield* seedTenant).organization.id)
    const created = yield* twenty(() =>
      Effect.flatMap(newProject(host, { name: "Wanted" }), (project) => Effect.result(store.create(project)))
    )
    assert.strictEqual(created.filter(Result.isSuccess).length, 1)
    assert.strictEqual((yield* store.list(host.organizationId, {})).items.length, 1)
  })),
  test("gets a project by id or by name", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { host, project } = yield* seedProjectOf
    yield* seedProject(host)
    same(Project, yield* store.get(host.organizationId, project.id), project)
    same(Project, yield* store.get(host.organizationId, project.name), project)
  })),
  test("answers undefined for a project that the organization does not have", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { host } = yield* seedProjectOf
    const { project: theirs } = yield* seedProjectOf
    const at = yield* now
    for (const reference of [theirs.id, theirs.name, yield* newId(ProjectId), "no such project"]) {
      assert.isUndefined(yield* store.get(host.organizationId, reference))
    }
    for (const id of [theirs.id, yield* newId(ProjectId)]) {
      assert.isUndefined(yield* store.update(host.organizationId, id, { name: "Mine" }, at))
      assert.isFalse(yield* store.remove(host.organizationId, id))
    }
    same(Project, yield* store.get(theirs.organizationId, theirs.id), theirs)
  })),
  test("lists the organization's projects, newest first, page by page", Effect.gen(function*() {
    const store = yield* ProjectStore
    yield* seedProjectOf
    const host = yield* seedHost((yield* seedTenant).organization.id)
    const projects = yield* fiveTimes(seedProject(host))
    yield* pagesThrough(projects, (page) => store.list(host.organizationId, page))
  })),
  test("answers the project after the patch, which changes nothing else", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { host } = yield* seedProjectOf
    const project = yield* seedProject(host, { setup: { commands: [["npm", "ci"]], timeoutSeconds: 60 } })
    const later = DateTime.add(yield* now, { minutes: 5 })
    const trusted = { ...project, trusted: true, updatedAt: later }
    same(Project, yield* store.update(host.organizationId, project.id, { trusted: true }, later), trusted)
    const patch = { name: `renamed ${project.id}`, baseBranch: "next", setup: { commands: [["make"]] } }
    const renamed = { ...trusted, ...patch }
    same(Project, yield* store.update(host.organizationId, project.id, patch, later), renamed)
    same(Project, yield* store.get(host.organizationId, project.id), renamed)
  })),
  test("takes setup away for null", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { host } = yield* seedProjectOf
    const { setup, ...rest } = yield* seedProject(host, { setup: { commands: [["npm", "ci"]] } })
    assert.isDefined(setup)
    same(Project, yield* store.update(host.organizationId, rest.id, { setup: null }, rest.updatedAt), rest)
  })),
  test("updates with Conflict while the new name is taken, and changes nothing", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { host, project } = yield* seedProjectOf
    const other = yield* seedProject(host)
    const patch = { name: project.name, trusted: true }
    yield* failsWith("Conflict", store.update(host.organizationId, other.id, patch, yield* now))
    same(Project, yield* store.get(host.organizationId, other.id), other)
    assert.isDefined(yield* store.update(host.organizationId, project.id, { name: project.name }, yield* now))
  })),
  test("renames exactly one of twenty to a name", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { host } = yield* seedProjectOf
    const at = yield* now
    const renamed = yield* twenty(() =>
      Effect.flatMap(seedProject(host), ({ id }) =>
        Effect.result(store.update(host.organizationId, id, { name: "Wanted" }, at)))
    )
    assert.strictEqual(renamed.filter(Result.isSuccess).length, 1)
  })),
  test("removes a project, and answers whether it was there", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { host, project } = yield* seedProjectOf
    const removed = yield* twenty(() => store.remove(host.organizationId, project.id))
    assert.strictEqual(removed.filter((wasThere) => wasThere).length, 1)
    assert.isUndefined(yield* store.get(host.organizationId, project.id))
  })),
  test("removes with Conflict while an automation belongs to it", Effect.gen(function*() {
    const store = yield* ProjectStore
    const { automation, organizationId, project } = yield* seedWorld()
    yield* failsWith("Conflict", store.remove(organizationId, project.id))
    same(Project, yield* store.get(organizationId, project.id), project)
    yield* (yield* AutomationStore).remove(organizationId, automation.id)
    assert.isTrue(yield* store.remove(organizationId, project.id))
  })),
  test("removes with Conflict while a workspace belongs to it that is not deleted", Effect.gen(function*() {
    const store = yield* ProjectStore
    for (const status of ["creating", "ready", "failed", "deleting"] as const) {
      const { host, project } = yield* seedProjectOf
      yield* seedWorkspace(project, { status })
      yield* failsWith("Conflict", store.remove(host.organizationId, project.id))
      same(Project, yield* store.get(host.organizationId, project.id), project)
    }
  })),
  test("removes what is left of its workspaces' records with it", Effect.gen(function*() {
    const { host, project } = yield* seedProjectOf
    const workspace = yield* seedWorkspace(project, { status: "deleted" })
    const session = yield* seedSession(workspace, { status: "completed" })
    assert.isTrue(yield* (yield* ProjectStore).remove(host.organizationId, project.id))
    assert.isUndefined(yield* (yield* WorkspaceStore).get(host.organizationId, workspace.id))
    assert.isUndefined(yield* (yield* AgentSessionStore).get(host.organizationId, session.id))
  })),
  test("leaves no workspace or automation without its project when both come at once", Effect.gen(function*() {
    const store = yield* ProjectStore
    const workspaces = yield* WorkspaceStore
    const automations = yield* AutomationStore
    for (let round = 0; round < 5; round++) {
      const { host, project, tenant } = yield* seedProjectOf
      const workspace = yield* newWorkspace(project)
      const automation = yield* newAutomation(project, tenant.user.id)
      const organizationId = host.organizationId
      yield* Effect.all([
        Effect.ignoreCause(workspaces.create(workspace)),
        Effect.ignoreCause(automations.create(automation)),
        Effect.ignoreCause(store.remove(organizationId, project.id))
      ], { concurrency: "unbounded" })
      const left = yield* Effect.all([
        workspaces.get(organizationId, workspace.id),
        automations.get(organizationId, automation.id)
      ])
      const owner = yield* store.get(organizationId, project.id)
      if (left.some((record) => record !== undefined)) same(Project, owner, project)
    }
  })),
  test("keeps other projects' automations as they are", Effect.gen(function*() {
    const { host, project, tenant } = yield* seedProjectOf
    const other = yield* seedProject(host)
    const automation = yield* seedAutomation(other, tenant.user.id)
    assert.isTrue(yield* (yield* ProjectStore).remove(host.organizationId, project.id))
    assert.isDefined(yield* (yield* AutomationStore).get(host.organizationId, automation.id))
  }))
])
