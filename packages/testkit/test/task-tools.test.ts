import {
  addMember,
  createWorkspace,
  CurrentPrincipal,
  deleteWorkspace,
  slugFor,
  Task,
  TaskStatus,
  type ToolServices,
  toolCatalog,
  Workspace
} from "@coppice/core"
import { TaskStatusStore, TaskStore } from "@coppice/core/ports"
import { verifies } from "@coppice/testkit/conformance"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { assert, describe } from "vitest"
import { makeTenant, makeWorld, StoreLink, worldLayer } from "./world.ts"

const outputs = {
  tasks_list: Schema.Struct({ tasks: Schema.Array(Task), nextCursor: Schema.optionalKey(Schema.String) }),
  tasks_get: Schema.Struct({ task: Task }),
  tasks_create: Schema.Struct({ task: Task }),
  tasks_update: Schema.Struct({ task: Task }),
  tasks_delete: Schema.Struct({ task: Task }),
  task_statuses_list: Schema.Struct({ taskStatuses: Schema.Array(TaskStatus), nextCursor: Schema.optionalKey(Schema.String) }),
  workspaces_create: Schema.Struct({ workspace: Workspace }),
  workspaces_list: Schema.Struct({ workspaces: Schema.Array(Workspace), nextCursor: Schema.optionalKey(Schema.String) })
}
type Outputs = { readonly [Name in keyof typeof outputs]: (typeof outputs)[Name]["Type"] }

type As = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, CurrentPrincipal>>

/** The tools as a client calls them: JSON in, JSON out, which decodes with what the tool says that it answers. */
const toolsOf = (as: As) => {
  const invoke = (name: string, args: unknown) =>
    as(Effect.suspend(() => toolCatalog.find((tool) => tool.name === name)!.call(args))) as Effect.Effect<
      object,
      { readonly code: string; readonly message: string; readonly hint?: string | undefined },
      Exclude<ToolServices, CurrentPrincipal>
    >
  const call = <Name extends keyof Outputs>(name: Name, args: object = {}) =>
    Effect.flatMap(invoke(name, args), (result) => {
      const wire: unknown = JSON.parse(JSON.stringify(result))
      const schema = outputs[name] as unknown as Schema.Codec<Outputs[Name], unknown>
      return Effect.orDie(Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })(wire))
    })
  const refused = (name: keyof Outputs, args: unknown) => Effect.flip(invoke(name, args))
  return { call, refused }
}

const makeBoard = Effect.gen(function*() {
  const world = yield* makeWorld
  const statuses = yield* Effect.map(toolsOf(world.as).call("task_statuses_list"), ({ taskStatuses }) => taskStatuses)
  const named = (name: string) => statuses.find((status) => status.name === name)!.id
  const { member } = yield* world.as(addMember({ email: "ben@acme.example", name: "Ben", role: "member" }))
  return { ...world, ...toolsOf(world.as), statuses, named, ben: member }
})

const titles = ({ tasks }: Outputs["tasks_list"]) => tasks.map(({ title }) => title)

describe("task_statuses_list", () => {
  it.effect("answers five statuses, seeded by whoever asks first", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { call } = toolsOf(world.as)
      const store = yield* TaskStatusStore
      assert.deepStrictEqual(yield* store.list(world.organizationId), [])
      const answers = yield* Effect.all([call("task_statuses_list"), call("task_statuses_list")], { concurrency: 2 })
      const types = answers.map(({ taskStatuses }) => taskStatuses.map(({ type }) => type))
      const five = ["backlog", "unstarted", "started", "completed", "cancelled"]
      assert.deepStrictEqual(types, [five, five])
      assert.strictEqual((yield* store.list(world.organizationId)).length, 5)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("goes page by page in the order of the board", () =>
    Effect.gen(function*() {
      const { call, statuses } = yield* makeBoard
      const first = yield* call("task_statuses_list", { limit: 3 })
      const second = yield* call("task_statuses_list", { limit: 3, cursor: first.nextCursor })
      assert.deepStrictEqual([...first.taskStatuses, ...second.taskStatuses].map(({ id }) => id), statuses.map(({ id }) => id))
      assert.isUndefined(second.nextCursor)
      assert.deepStrictEqual((yield* call("task_statuses_list", { cursor: "nowhere" })).taskStatuses, [])
    }).pipe(Effect.provide(worldLayer)))
})

describe("tasks_create", () => {
  it.effect(verifies("mcp.tools-tasks") + "makes a task of its title alone", () =>
    Effect.gen(function*() {
      const { call, named, organizationId } = yield* makeBoard
      const { task } = yield* call("tasks_create", { title: "Fix the login!" })
      const { createdAt: _, id, updatedAt: __, ...rest } = task
      assert.deepStrictEqual(rest, {
        organizationId,
        slug: slugFor("Fix the login!", id),
        title: "Fix the login!",
        description: "",
        statusId: named("Backlog"),
        priority: "none",
        labels: []
      })
    }).pipe(Effect.provide(worldLayer)))

  it.effect("takes everything that a task has, a status by name and a member by e-mail", () =>
    Effect.gen(function*() {
      const { ben, call, named } = yield* makeBoard
      const { task } = yield* call("tasks_create", {
        title: "Ship it",
        description: "To all of them.\n",
        statusId: "In progress",
        priority: "high",
        assigneeId: "BEN@acme.example",
        estimate: 2.5,
        dueAt: "2026-12-24T18:00+01:00",
        labels: ["release", "web"]
      })
      const wire = Schema.encodeSync(Task)(task)
      assert.deepInclude(wire, {
        description: "To all of them.\n",
        statusId: named("In progress"),
        priority: "high",
        assigneeId: ben.userId,
        estimate: 2.5,
        dueAt: "2026-12-24T17:00:00.000Z",
        labels: ["release", "web"]
      })
      assert.deepStrictEqual(yield* call("tasks_get", { taskId: task.slug }), { task })
    }).pipe(Effect.provide(worldLayer)))

  it.effect("tries another id while the slug is taken", () =>
    Effect.gen(function*() {
      const { call, named, organizationId } = yield* makeBoard
      const store = yield* TaskStore
      const link = yield* StoreLink
      let tries = 0
      // Somebody else takes the very slug, just before.
      link.before = (name, [task]) => {
        if (name !== "TaskStore.create" || tries++ > 0) return Effect.void
        const other = { ...task as Task, id: (task as Task).id.replace(/^./, "f") as Task["id"] }
        return Effect.orDie(Effect.asVoid(store.create(other)))
      }
      const { task } = yield* call("tasks_create", { title: "Wanted" })
      const { tasks } = yield* call("tasks_list", { statusId: named("Backlog") })
      assert.strictEqual(tasks.length, 2)
      assert.strictEqual(new Set(tasks.map(({ slug }) => slug)).size, 2)
      assert.deepStrictEqual(yield* store.get(organizationId, task.slug), task)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("does it once for an idempotency key", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* makeBoard
      const args = { title: "Once", idempotencyKey: "k" }
      const first = yield* call("tasks_create", args)
      assert.deepStrictEqual(yield* call("tasks_create", args), first)
      assert.deepStrictEqual(titles(yield* call("tasks_list")), ["Once"])
      assert.strictEqual((yield* refused("tasks_create", { ...args, title: "Twice" })).code, "CONFLICT")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("refuses what is no task, with the path of what is wrong, and makes none", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* makeBoard
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{}, "title"],
        [{ title: "" }, "title"],
        [{ title: "two\nlines" }, "title"],
        [{ title: "x".repeat(101) }, "title"],
        [{ title: "A", description: "\u0000" }, "description"],
        [{ title: "A", priority: "now" }, "priority"],
        [{ title: "A", estimate: 0 }, "estimate"],
        [{ title: "A", estimate: "3" }, "estimate"],
        [{ title: "A", dueAt: "tomorrow" }, "dueAt"],
        [{ title: "A", dueAt: null }, "dueAt"],
        [{ title: "A", labels: Array.from({ length: 21 }, (_, number) => `${number}`) }, "labels"],
        [{ title: "A", labels: ["a", "a"] }, "labels"],
        [{ title: "A", statusId: "" }, "statusId"],
        [{ title: "A", slug: "mine" }, "slug"],
        [{ title: "A", idempotencyKey: "" }, "idempotencyKey"]
      ]
      for (const [args, field] of wrong) {
        const { code, message } = yield* refused("tasks_create", args)
        assert.strictEqual(code, "INVALID_REQUEST", JSON.stringify(args))
        assert.include(message, field)
      }
      assert.deepStrictEqual(titles(yield* call("tasks_list")), [])
    }).pipe(Effect.provide(worldLayer)))

  it.effect("knows no status and no member of another organization", () =>
    Effect.gen(function*() {
      const { refused } = yield* makeBoard
      const other = yield* makeTenant("other")
      const theirs = yield* toolsOf(other.as).call("task_statuses_list")
      for (const statusId of [theirs.taskStatuses[0]!.id, "backlog", "Somewhere"]) {
        const { code, hint } = yield* refused("tasks_create", { title: "A", statusId })
        assert.deepStrictEqual([code, hint], ["NOT_FOUND", "There are: Backlog, Todo, In progress, Done, Cancelled."])
      }
      for (const assigneeId of [other.user.id, other.user.email, other.principal.organizationId, "nobody"]) {
        assert.strictEqual((yield* refused("tasks_create", { title: "A", assigneeId })).code, "NOT_FOUND")
      }
    }).pipe(Effect.provide(worldLayer)))
})

describe("tasks_list", () => {
  it.effect("is narrowed by everything that is given", () =>
    Effect.gen(function*() {
      const { ben, call, named, user } = yield* makeBoard
      yield* call("tasks_create", { title: "Plan it" })
      yield* call("tasks_create", { title: "Build the login", statusId: "Todo", labels: ["web"], priority: "high" })
      yield* call("tasks_create", { title: "Test the Login", statusId: "In progress", labels: ["web"], assigneeId: ben.userId })
      yield* call("tasks_create", { title: "Ship it", statusId: named("Done"), assigneeId: user.id, priority: "high" })
      const listed = (filter: object) => Effect.map(call("tasks_list", filter), titles)
      assert.deepStrictEqual(yield* listed({}), ["Ship it", "Test the Login", "Build the login", "Plan it"])
      assert.deepStrictEqual(yield* listed({ statusId: "Todo" }), ["Build the login"])
      assert.deepStrictEqual(yield* listed({ statusId: named("Done") }), ["Ship it"])
      assert.deepStrictEqual(yield* listed({ statusType: "started" }), ["Test the Login"])
      assert.deepStrictEqual(yield* listed({ statusType: "started", statusId: "Todo" }), [])
      assert.deepStrictEqual(yield* listed({ assigneeId: "ben@acme.example" }), ["Test the Login"])
      assert.deepStrictEqual(yield* listed({ assigneeId: user.id }), ["Ship it"])
      assert.deepStrictEqual(yield* listed({ priority: "high", search: "it" }), ["Ship it"])
      assert.deepStrictEqual(yield* listed({ label: "web", search: "LOGIN" }), ["Test the Login", "Build the login"])
      const page = yield* call("tasks_list", { label: "web", limit: 1 })
      assert.deepStrictEqual(titles(page), ["Test the Login"])
      assert.deepStrictEqual(yield* listed({ label: "web", limit: 1, cursor: page.nextCursor }), ["Build the login"])
    }).pipe(Effect.provide(worldLayer)))

  it.effect("refuses a filter that means nothing", () =>
    Effect.gen(function*() {
      const { refused } = yield* makeBoard
      for (const args of [{ statusType: "done" }, { search: "" }, { limit: 0 }, { limit: 101 }, { idempotencyKey: "k" }]) {
        assert.strictEqual((yield* refused("tasks_list", args)).code, "INVALID_REQUEST", JSON.stringify(args))
      }
      assert.strictEqual((yield* refused("tasks_list", { statusId: "Somewhere" })).code, "NOT_FOUND")
      assert.strictEqual((yield* refused("tasks_list", { assigneeId: "nobody" })).code, "NOT_FOUND")
    }).pipe(Effect.provide(worldLayer)))
})

describe("tasks_update", () => {
  it.effect("changes what is given, and nothing else", () =>
    Effect.gen(function*() {
      const { ben, call, named } = yield* makeBoard
      const { task } = yield* call("tasks_create", { title: "Build", labels: ["web"], estimate: 3 })
      const moved = yield* call("tasks_update", { taskId: task.slug, statusId: "In progress", assigneeId: "ben@acme.example" })
      assert.deepStrictEqual(moved.task, { ...task, statusId: named("In progress"), assigneeId: ben.userId })
      const renamed = yield* call("tasks_update", { taskId: task.id, title: "Build it all", labels: [], priority: "low" })
      assert.deepStrictEqual(renamed.task, { ...moved.task, title: "Build it all", labels: [], priority: "low" })
      assert.strictEqual(renamed.task.slug, task.slug)
      assert.deepStrictEqual(yield* call("tasks_get", { taskId: task.slug }), renamed)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("takes optional values away for null", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* makeBoard
      const { task } = yield* call("tasks_create", {
        title: "Build",
        assigneeId: "ben@acme.example",
        estimate: 3,
        dueAt: "2026-12-24T18:00:00Z"
      })
      const updated = yield* call("tasks_update", { taskId: task.id, assigneeId: null, estimate: null, dueAt: null })
      const { assigneeId: _, dueAt: __, estimate: ___, ...rest } = task
      assert.deepStrictEqual(updated.task, rest)
      for (const field of ["title", "description", "statusId", "priority", "labels"]) {
        assert.strictEqual((yield* refused("tasks_update", { taskId: task.id, [field]: null })).code, "INVALID_REQUEST", field)
      }
    }).pipe(Effect.provide(worldLayer)))

  it.effect("repeats its first answer for an idempotency key", () =>
    Effect.gen(function*() {
      const { call } = yield* makeBoard
      const { task } = yield* call("tasks_create", { title: "Build" })
      const first = yield* call("tasks_update", { taskId: task.id, title: "First", idempotencyKey: "k" })
      yield* call("tasks_update", { taskId: task.id, title: "Second" })
      assert.deepStrictEqual(yield* call("tasks_update", { taskId: task.id, title: "First", idempotencyKey: "k" }), first)
      assert.deepStrictEqual(titles(yield* call("tasks_list")), ["Second"])
    }).pipe(Effect.provide(worldLayer)))
})

describe("a task", () => {
  it.effect("is there until it is deleted, once", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* makeBoard
      const { task } = yield* call("tasks_create", { title: "Build" })
      const gone = { taskId: task.slug, idempotencyKey: "k" }
      assert.deepStrictEqual(yield* call("tasks_delete", gone), { task })
      assert.deepStrictEqual(yield* call("tasks_delete", gone), { task })
      for (const name of ["tasks_get", "tasks_update", "tasks_delete"] as const) {
        assert.strictEqual((yield* refused(name, { taskId: task.id })).code, "NOT_FOUND", name)
        assert.strictEqual((yield* refused(name, {})).code, "INVALID_REQUEST", name)
      }
    }).pipe(Effect.provide(worldLayer)))

  it.effect("reads as not found from another organization", () =>
    Effect.gen(function*() {
      const { call } = yield* makeBoard
      const { task } = yield* call("tasks_create", { title: "Ours" })
      const { as } = yield* makeTenant("other")
      const other = toolsOf(as)
      for (const taskId of [task.id, task.slug]) {
        for (const name of ["tasks_get", "tasks_update", "tasks_delete", "workspaces_list"] as const) {
          assert.strictEqual((yield* other.refused(name, { taskId })).code, "NOT_FOUND", name)
        }
      }
      assert.deepStrictEqual(titles(yield* other.call("tasks_list")), [])
      assert.deepStrictEqual(yield* call("tasks_get", { taskId: task.id }), { task })
    }).pipe(Effect.provide(worldLayer)))

  it.effect("has workspaces, which outlive it", () =>
    Effect.gen(function*() {
      const { as, call, project, refused, workspaces } = yield* makeBoard
      const { task } = yield* call("tasks_create", { title: "Build" })
      yield* as(createWorkspace({ projectId: project.id, name: "Another" }))
      const { workspace } = yield* call("workspaces_create", { projectId: project.id, name: "Build", taskId: task.slug })
      assert.deepStrictEqual([workspace.status, workspace.taskId], ["ready", task.id])
      const of = { taskId: task.slug }
      assert.deepStrictEqual(yield* call("workspaces_list", of), { workspaces: [workspace] })
      assert.deepStrictEqual(yield* call("workspaces_list", { ...of, status: "failed" }), { workspaces: [] })
      yield* call("tasks_delete", of)
      const left = (yield* workspaces).find(({ id }) => id === workspace.id)!
      assert.deepStrictEqual([left.status, left.taskId], ["ready", undefined])
      yield* as(deleteWorkspace(workspace.id, false))
      const { code } = yield* refused("workspaces_create", { projectId: project.id, name: "Late", taskId: task.id })
      assert.deepStrictEqual([code, (yield* workspaces).map(({ name }) => name)], ["NOT_FOUND", ["Another"]])
    }).pipe(Effect.provide(worldLayer)))
})
