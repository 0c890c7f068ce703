import { Estimate, Labels, Name, newId, now, Task, TaskId, type TaskPatch, TaskPriority, Text, Workspace } from "@coppice/core"
import { TaskStore, WorkspaceStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Result, Schema } from "effect"
import { assert } from "vitest"
import { failsWith, fiveTimes, idsOf, instants, pagesThrough, property, same, test, twenty } from "./check.ts"
import { newTask, seedHost, seedMember, seedProject, seedTask, seedTaskStatuses, seedTenant, seedWorkspace } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedBoard = Effect.gen(function*() {
  const tenant = yield* seedTenant
  const organizationId = tenant.organization.id
  return { tenant, organizationId, statuses: yield* seedTaskStatuses(organizationId) }
})

const fields = Arbitrary.schema(Schema.Struct({
  title: Name,
  description: Text,
  priority: TaskPriority,
  estimate: Schema.optionalKey(Estimate),
  labels: Labels
}))

const given = Arbitrary.flatMap(fields, (task) => Arbitrary.map(instants, (dueAt) => ({ ...task, dueAt })))

export const taskStoreContract = storeContract("TaskStore", () => [
  property("stores a task, and answers it as it was given", given, (task) =>
    Effect.gen(function*() {
      const store = yield* TaskStore
      const { organizationId, statuses, tenant } = yield* seedBoard
      const stored = yield* seedTask(statuses[2]!, { ...task, assigneeId: tenant.user.id })
      same(Task, yield* store.get(organizationId, stored.id), stored)
      same(Schema.Array(Task), (yield* store.list(organizationId, {}, {})).items, [stored])
    })),
  test("fails with Conflict while the slug is taken in the organization", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses } = yield* seedBoard
    const task = yield* seedTask(statuses[0]!)
    const second = yield* newTask(statuses[0]!, { slug: task.slug })
    yield* failsWith("Conflict", store.create(second))
    assert.strictEqual((yield* store.list(organizationId, {}, {})).items.length, 1)
    yield* seedTask((yield* seedBoard).statuses[0]!, { slug: task.slug })
    yield* store.remove(organizationId, task.id)
    yield* store.create(second)
  })),
  test("gives a slug to exactly one of twenty", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses } = yield* seedBoard
    const created = yield* twenty(() =>
      Effect.flatMap(newTask(statuses[0]!, { slug: "wanted" }), (task) => Effect.result(store.create(task)))
    )
    assert.strictEqual(created.filter(Result.isSuccess).length, 1)
    assert.strictEqual((yield* store.list(organizationId, {}, {})).items.length, 1)
  })),
  test("gets a task by id or by slug", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses } = yield* seedBoard
    const task = yield* seedTask(statuses[0]!)
    yield* seedTask(statuses[0]!)
    same(Task, yield* store.get(organizationId, task.id), task)
    same(Task, yield* store.get(organizationId, task.slug), task)
  })),
  test("answers undefined for a task that the organization does not have", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId } = yield* seedBoard
    const theirs = yield* seedTask((yield* seedBoard).statuses[0]!)
    const at = yield* now
    for (const reference of [theirs.id, theirs.slug, yield* newId(TaskId), "no such task"]) {
      assert.isUndefined(yield* store.get(organizationId, reference))
    }
    for (const id of [theirs.id, yield* newId(TaskId)]) {
      assert.isUndefined(yield* store.update(organizationId, id, { title: "Mine" }, at))
      assert.isFalse(yield* store.remove(organizationId, id))
    }
    same(Task, yield* store.get(theirs.organizationId, theirs.id), theirs)
  })),
  test("lists the organization's tasks, newest first, page by page", Effect.gen(function*() {
    const store = yield* TaskStore
    yield* seedTask((yield* seedBoard).statuses[0]!)
    const { organizationId, statuses } = yield* seedBoard
    const tasks = yield* fiveTimes(seedTask(statuses[0]!))
    yield* pagesThrough(tasks, (page) => store.list(organizationId, {}, page))
  })),
  test("lists by statuses, assignee, priority and label, and by all of them", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses, tenant } = yield* seedBoard
    const { user } = yield* seedMember(organizationId)
    const [backlog, todo, started] = statuses as [typeof statuses[0] & {}, typeof statuses[0] & {}, typeof statuses[0] & {}]
    const plain = yield* seedTask(backlog)
    const urgent = yield* seedTask(todo, { priority: "urgent", labels: ["bug", "It's \"odd\", {so}"] })
    const theirs = yield* seedTask(started, { assigneeId: user.id, labels: ["bug"] })
    const owners = yield* seedTask(started, { assigneeId: tenant.user.id, priority: "urgent" })
    const list = (filter: Parameters<typeof store.list>[1]) =>
      Effect.map(store.list(organizationId, filter, {}), ({ items }) => idsOf(items))
    assert.deepStrictEqual(yield* list({}), [owners.id, theirs.id, urgent.id, plain.id])
    assert.deepStrictEqual(yield* list({ statusIds: [backlog.id, todo.id] }), [urgent.id, plain.id])
    assert.deepStrictEqual(yield* list({ statusIds: [] }), [])
    assert.deepStrictEqual(yield* list({ assigneeId: user.id }), [theirs.id])
    assert.deepStrictEqual(yield* list({ priority: "urgent" }), [owners.id, urgent.id])
    assert.deepStrictEqual(yield* list({ label: "bug" }), [theirs.id, urgent.id])
    assert.deepStrictEqual(yield* list({ label: "It's \"odd\", {so}" }), [urgent.id])
    assert.deepStrictEqual(yield* list({ label: "BUG" }), [])
    assert.deepStrictEqual(yield* list({ statusIds: [started.id], priority: "urgent" }), [owners.id])
    assert.deepStrictEqual(yield* list({ label: "bug", assigneeId: user.id, priority: "urgent" }), [])
    const page = yield* store.list(organizationId, { label: "bug" }, { limit: 1 })
    assert.deepStrictEqual(idsOf(page.items), [theirs.id])
    const rest = yield* store.list(organizationId, { label: "bug" }, { limit: 1, cursor: page.nextCursor! })
    assert.deepStrictEqual([idsOf(rest.items), rest.nextCursor], [[urgent.id], undefined])
  })),
  test("lists by what the title holds, letter case aside", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses } = yield* seedBoard
    const login = yield* seedTask(statuses[0]!, { title: "Fix the LOGIN" })
    const share = yield* seedTask(statuses[0]!, { title: "100% of Übung_1 \\ done" })
    const found = (search: string) => Effect.map(store.list(organizationId, { search }, {}), ({ items }) => idsOf(items))
    assert.deepStrictEqual(yield* found("login"), [login.id])
    assert.deepStrictEqual(yield* found("THE Login"), [login.id])
    assert.deepStrictEqual(yield* found("üBUNG"), [share.id])
    // What a pattern would take for a wild card is a character like any other.
    for (const search of ["%", "_", "\\"]) assert.deepStrictEqual(yield* found(search), [share.id])
    assert.deepStrictEqual(yield* found("fix%login"), [])
    yield* store.update(organizationId, login.id, { title: "Repair it" }, yield* now)
    assert.deepStrictEqual(yield* found("login"), [])
    assert.deepStrictEqual(yield* found("REPAIR"), [login.id])
  })),
  test("answers the task after the patch, which changes nothing else", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses, tenant } = yield* seedBoard
    const task = yield* seedTask(statuses[0]!, { labels: ["old"] })
    const later = DateTime.add(yield* now, { minutes: 5 })
    const high = { ...task, priority: "high", updatedAt: later }
    same(Task, yield* store.update(organizationId, task.id, { priority: "high" }, later), high)
    const patch = {
      title: "Other",
      description: "More of it.",
      statusId: statuses[1]!.id,
      assigneeId: tenant.user.id,
      estimate: 0.5,
      dueAt: later,
      labels: ["new", "newer"]
    }
    const changed = { ...high, ...patch }
    same(Task, yield* store.update(organizationId, task.id, patch, later), changed)
    same(Task, yield* store.get(organizationId, task.slug), changed)
  })),
  test("takes optional values away for null", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses, tenant } = yield* seedBoard
    const optional = { assigneeId: tenant.user.id, estimate: 3, dueAt: yield* now }
    const { assigneeId, dueAt, estimate, ...rest } = yield* seedTask(statuses[0]!, optional)
    assert.deepStrictEqual({ assigneeId, dueAt, estimate }, optional)
    const patch = { assigneeId: null, estimate: null, dueAt: null }
    same(Task, yield* store.update(organizationId, rest.id, patch, rest.updatedAt), rest)
    same(Task, yield* store.get(organizationId, rest.id), rest)
  })),
  test("applies all of the patches that come at once", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses } = yield* seedBoard
    const task = yield* seedTask(statuses[0]!)
    const at = task.updatedAt
    const patches: ReadonlyArray<TaskPatch> = [
      { title: "New" },
      { description: "New." },
      { statusId: statuses[3]!.id },
      { priority: "low" },
      { estimate: 8 },
      { dueAt: at },
      { labels: ["new"] }
    ]
    yield* Effect.forEach(patches, (patch) => store.update(organizationId, task.id, patch, at), { concurrency: "unbounded" })
    same(Task, yield* store.get(organizationId, task.id), Object.assign({}, task, ...patches))
  })),
  test("removes a task, and answers whether it was there", Effect.gen(function*() {
    const store = yield* TaskStore
    const { organizationId, statuses } = yield* seedBoard
    const task = yield* seedTask(statuses[0]!)
    const other = yield* seedTask(statuses[0]!)
    const removed = yield* twenty(() => store.remove(organizationId, task.id))
    assert.strictEqual(removed.filter((wasThere) => wasThere).length, 1)
    assert.isUndefined(yield* store.get(organizationId, task.id))
    same(Task, yield* store.get(organizationId, other.id), other)
  })),
  test("leaves the workspaces of a task that is removed, without it", Effect.gen(function*() {
    const store = yield* TaskStore
    const workspaces = yield* WorkspaceStore
    const { organizationId, statuses } = yield* seedBoard
    const project = yield* seedProject(yield* seedHost(organizationId))
    const task = yield* seedTask(statuses[0]!)
    const other = yield* seedTask(statuses[0]!)
    const mine = yield* Effect.forEach(["ready", "deleted"] as const, (status) =>
      seedWorkspace(project, { taskId: task.id, status }))
    const kept = yield* seedWorkspace(project, { taskId: other.id })
    assert.isTrue(yield* store.remove(organizationId, task.id))
    for (const { taskId: _, ...workspace } of mine) {
      same(Workspace, yield* workspaces.get(organizationId, workspace.id), workspace)
    }
    same(Workspace, yield* workspaces.get(organizationId, kept.id), kept)
  }))
])
