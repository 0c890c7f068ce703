import { type JsonObject, MachineId, registerHost, toolCatalog } from "@coppice/core"
import { hangs } from "@coppice/testkit/fake"
import { furnishToolWorld, toolExamples } from "@coppice/testkit/tools"
import { it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema, SchemaRepresentation } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe } from "vitest"
import { makeTenant, makeWorld, repositoryPath, startWorker, StoreLink, until, worldLayer } from "./world.ts"

const fromJsonSchema = (schema: JsonObject) => {
  const { $defs = {}, ...root } = schema
  return SchemaRepresentation.fromJsonSchemaDocument(
    { dialect: "draft-2020-12", schema: root, definitions: $defs as Record<string, never> },
    { patterns: "apply" }
  )
}

const toolNamed = (name: string) => {
  const tool = toolCatalog.find((tool) => tool.name === name)
  if (tool === undefined) throw new Error(`There is no tool ${name}`)
  return tool
}

/** Calls a tool, and holds what it answers against its output schema. */
const call = Effect.fnUntraced(function*(name: string, args?: unknown) {
  const tool = toolNamed(name)
  const result = yield* tool.call(args)
  const accepts = Schema.is(fromJsonSchema(tool.outputSchema))
  assert.isTrue(accepts(JSON.parse(JSON.stringify(result))), `${name} answered ${JSON.stringify(result)}`)
  // oxlint-disable-next-line typescript/no-explicit-any -- what it holds is said by the schema that it was just held against
  return result as any
})

const code = (name: string, args: unknown) =>
  Effect.map(Effect.result(call(name, args)), (result) => result._tag === "Failure" ? result.failure.code : "it succeeded")

/** A world with one of everything, made through tools. */
const furnished = Effect.gen(function*() {
  const world = yield* makeWorld
  world.fake.addRemote(repositoryPath, "origin")
  const made = yield* furnishToolWorld((name, args) => world.as(call(name, args)))
  return { ...world, ...made, repositoryPath }
})

describe("every tool", () => {
  it("has an example", () => {
    assert.deepStrictEqual(Object.keys(toolExamples), toolCatalog.map(({ name }) => name))
  })

  it.effect.each(toolCatalog.map(({ name }) => ({ name })))("$name answers good arguments in its output schema", ({ name }) =>
    Effect.gen(function*() {
      const world = yield* furnished
      const accepts = Schema.is(fromJsonSchema(toolNamed(name).inputSchema))
      for (const args of toolExamples[name]!.good(world)) {
        assert.isTrue(accepts(args ?? {}), JSON.stringify(args))
        yield* world.as(call(name, args))
      }
    }).pipe(Effect.provide(worldLayer)))

  it.effect.each(toolCatalog.map(({ name }) => ({ name })))("$name refuses bad arguments, and says what was expected", ({ name }) =>
    Effect.gen(function*() {
      const world = yield* furnished
      for (const args of [...toolExamples[name]!.bad, { ...(toolExamples[name]!.good(world)[0] as object), surplus: 1 }]) {
        assert.strictEqual(yield* world.as(code(name, args)), "INVALID_REQUEST", JSON.stringify(args))
      }
    }).pipe(Effect.provide(worldLayer)))

  it.effect("finds nothing of another organization, by id or by name", () =>
    Effect.gen(function*() {
      const world = yield* furnished
      const other = yield* makeTenant("other")
      const foreign: Record<string, unknown> = {
        projectId: world.project.id,
        taskId: world.taskId,
        workspaceId: world.workspaceId,
        automationId: world.automationId,
        runId: world.runId,
        hostId: world.host.id
      }
      const names: Record<string, string> = { projectId: "shop", taskId: world.taskSlug, automationId: "Review" }
      const rest: Record<string, JsonObject> = {
        workspaces_create: { name: "x" },
        workspaces_update: { name: "x" },
        automations_create: { name: "x", prompt: "x", agent: "reviewer" },
        projects_create: { repositoryPath }
      }
      for (const { inputSchema, name } of toolCatalog) {
        const fields = Object.keys(inputSchema["properties"] as object)
        for (const field of fields.filter((field) => field in foreign)) {
          for (const reference of [foreign[field], names[field] ?? foreign[field]]) {
            const args = { ...rest[name], [field]: reference }
            if (["automations_create", "workspaces_create"].includes(name) && field !== "projectId") continue
            if (name === "automations_update" && field !== "automationId") continue
            assert.strictEqual(yield* other.as(code(name, args)), "NOT_FOUND", `${name} ${field}`)
          }
        }
      }
      for (const name of ["projects_list", "tasks_list", "workspaces_list", "automations_list", "runs_list"]) {
        assert.deepStrictEqual(Object.values(yield* other.as(call(name))), [[]])
      }
      assert.lengthOf((yield* other.as(call("hosts_list"))).hosts, 1)
      assert.lengthOf((yield* other.as(call("organization_members_list"))).members, 1)
      assert.lengthOf((yield* world.as(call("runs_list"))).runs, 1)
    }).pipe(Effect.provide(worldLayer)))
})

describe("runs_wait", () => {
  it.effect("answers once the run has ended, or as it is when the time is over", () =>
    Effect.gen(function*() {
      const world = yield* furnished
      const early = yield* Effect.forkChild(world.as(call("runs_wait", { runId: world.runId, timeoutSeconds: 5 })))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(early)).run.status, "queued")
      const late = yield* Effect.forkChild(world.as(call("runs_wait", { runId: world.runId, timeoutSeconds: 300 })))
      yield* startWorker()
      yield* until("it answers", Effect.sync(() => late.pollUnsafe() !== undefined))
      assert.strictEqual((yield* Fiber.join(late)).run.status, "succeeded")
      const { run } = yield* world.as(call("runs_retry", { runId: world.runId }))
      assert.strictEqual(run.retryOf, world.runId)
      yield* world.reaches(run.id, "succeeded")
      assert.isNotEmpty((yield* world.as(call("runs_events", { runId: run.id }))).events)
      yield* world.as(call("automations_delete", { automationId: "Review" }))
      assert.strictEqual(yield* world.as(code("runs_get", { runId: world.runId })), "NOT_FOUND")
    }).pipe(Effect.provide(worldLayer)))
})

describe("deleting", () => {
  it.effect("a project or an automation is refused while something stands on it", () =>
    Effect.gen(function*() {
      const world = yield* furnished
      assert.strictEqual(yield* world.as(code("projects_delete", { projectId: "shop" })), "CONFLICT")
      assert.strictEqual(yield* world.as(code("automations_delete", { automationId: "Review" })), "CONFLICT")
      yield* world.as(call("runs_cancel", { runId: world.runId }))
      yield* world.as(call("automations_delete", { automationId: "Review" }))
      yield* world.as(call("workspaces_delete", { workspaceId: "Work" }))
      yield* world.as(call("projects_delete", { projectId: "shop" }))
      assert.strictEqual(yield* world.as(code("projects_get", { projectId: "shop" })), "NOT_FOUND")
      assert.isDefined(world.fake.repository(repositoryPath))
    }).pipe(Effect.provide(worldLayer)))

  it.effect("a workspace with work in it is refused, and with force it is kept under a rescue ref", () =>
    Effect.gen(function*() {
      const world = yield* furnished
      const path = world.fake.worktrees()[0]!.path
      world.fake.changeWorktree(path, { "new.txt": "x" })
      assert.strictEqual(yield* world.as(code("workspaces_delete", { workspaceId: "Work" })), "CONFLICT")
      assert.strictEqual((yield* world.as(call("workspaces_get", { workspaceId: "Work" }))).workspace.status, "ready")
      const { rescueRef, workspace } = yield* world.as(call("workspaces_delete", { workspaceId: "Work", force: true }))
      assert.strictEqual(workspace.status, "deleted")
      assert.isTrue(world.fake.repository(repositoryPath).refs.has(rescueRef))
    }).pipe(Effect.provide(worldLayer)))

  it.effect("a workspace in which an agent is at work is refused, with force too", () =>
    Effect.gen(function*() {
      const world = yield* furnished
      world.fake.script("reviewer", hangs)
      yield* startWorker()
      const { workspaceId } = yield* world.reaches(world.runId as never, "running")
      assert.strictEqual(yield* world.as(code("workspaces_delete", { workspaceId, force: true })), "CONFLICT")
      assert.lengthOf(world.fake.running(), 1)
      yield* world.as(call("runs_cancel", { runId: world.runId }))
      yield* world.reaches(world.runId as never, "cancelled")
      yield* world.as(call("workspaces_delete", { workspaceId }))
    }).pipe(Effect.provide(worldLayer)))
})

describe("an idempotencyKey", () => {
  const create = { projectId: "shop", name: "Keyed" }

  it.effect("answers the first result again for the same arguments, in any order, and does it once", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const first = yield* world.as(call("workspaces_create", { ...create, idempotencyKey: "a" }))
      const again = yield* world.as(call("workspaces_create", { idempotencyKey: "a", name: "Keyed", projectId: "shop" }))
      assert.deepStrictEqual(again, first)
      assert.lengthOf(world.fake.worktrees(), 1)
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* world.as(call("workspaces_create", { ...create, idempotencyKey: "a" })), first)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* world.as(code("workspaces_create", { ...create, idempotencyKey: "a" })), "CONFLICT")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is a conflict for other arguments and for another tool, and is another's own", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* world.as(call("workspaces_create", { ...create, idempotencyKey: "a" }))
      assert.strictEqual(yield* world.as(code("workspaces_create", { ...create, name: "Other", idempotencyKey: "a" })), "CONFLICT")
      assert.strictEqual(
        yield* world.as(code("workspaces_update", { workspaceId: "Keyed", name: "Other", idempotencyKey: "a" })),
        "CONFLICT"
      )
      const other = yield* makeTenant("other")
      const shop = { name: "Mine", repositoryPath, idempotencyKey: "a" }
      assert.strictEqual((yield* other.as(call("projects_create", shop))).project.name, "Mine")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is free again after a failure, and after a cancelled call", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.failCreation({ reason: "setup", message: "no" })
      assert.strictEqual(yield* world.as(code("workspaces_create", { ...create, idempotencyKey: "a" })), "CONFLICT")
      yield* world.as(call("workspaces_create", { ...create, name: "Second", idempotencyKey: "a" }))
      yield* world.changeProject({ setup: { commands: [["hang"]] } })
      const creating = yield* Effect.forkChild(world.as(call("workspaces_create", { ...create, name: "Third", idempotencyKey: "b" })))
      yield* until("it is being made", Effect.sync(() => world.fake.worktrees().length === 2))
      assert.strictEqual(yield* world.as(code("workspaces_create", { ...create, name: "Third", idempotencyKey: "b" })), "CONFLICT")
      yield* Fiber.interrupt(creating)
      assert.lengthOf(world.fake.worktrees(), 1)
      yield* world.changeProject({ setup: null })
      yield* world.as(call("workspaces_create", { ...create, name: "Fourth", idempotencyKey: "b" }))
    }).pipe(Effect.provide(worldLayer)))

  it.effect("stays taken when the call died, since it may have done something", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const automation = yield* world.automate()
      const link = yield* StoreLink
      link.before = (name) => name === "IdempotencyStore.complete" ? Effect.die(new Error("The store is away")) : Effect.void
      const args = { automationId: automation.id, idempotencyKey: "a" }
      assert.isTrue(Exit.hasDies(yield* Effect.exit(world.as(call("automations_run", args)))))
      link.before = () => Effect.void
      assert.strictEqual(yield* world.as(code("automations_run", args)), "CONFLICT")
      assert.lengthOf((yield* world.as(call("runs_list"))).runs, 1)
      link.before = (name) => name === "RunStore.create" ? Effect.die(new Error("The store is away")) : Effect.void
      yield* Effect.exit(world.as(call("automations_run", { ...args, idempotencyKey: "b" })))
      link.before = () => Effect.void
      assert.strictEqual(yield* world.as(code("automations_run", { ...args, idempotencyKey: "b" })), "CONFLICT")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is refused where nothing changes, and when it is empty or too long", () =>
    Effect.gen(function*() {
      const world = yield* furnished
      assert.strictEqual(yield* world.as(code("projects_list", { idempotencyKey: "a" })), "INVALID_REQUEST")
      for (const idempotencyKey of ["", "x".repeat(201), 7]) {
        assert.strictEqual(yield* world.as(code("automations_pause", { automationId: "Review", idempotencyKey })), "INVALID_REQUEST")
      }
    }).pipe(Effect.provide(worldLayer)))
})

describe("a call that changes something", () => {
  it.effect("is carried through though the caller goes away, unless it is cancellable", () =>
    Effect.gen(function*() {
      const world = yield* furnished
      const link = yield* StoreLink
      const reached = yield* Deferred.make<void>()
      link.before = (name) =>
        name === "AutomationStore.update" ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.sleep(1000)) : Effect.void
      const pausing = yield* Effect.forkChild(world.as(call("automations_pause", { automationId: "Review" })))
      yield* Deferred.await(reached)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(pausing), { startImmediately: true })
      yield* TestClock.adjust(1000)
      yield* Fiber.join(leaving)
      assert.strictEqual((yield* world.as(call("automations_get", { automationId: "Review" }))).automation.status, "paused")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("needs a host that is named when there are several, and one that can be reached", () =>
    Effect.gen(function*() {
      const world = yield* furnished
      world.fake.setOnline(false)
      assert.strictEqual(yield* world.as(code("workspaces_create", { projectId: "shop", name: "x" })), "UNAVAILABLE")
      world.fake.setOnline(true)
      yield* registerHost(world.organizationId, {
        machineId: MachineId.make("0198c5a0-0000-7000-8000-000000000002"),
        name: "far away",
        platform: "linux-arm64",
        agents: [],
        maxConcurrentRuns: 1
      })
      assert.strictEqual(yield* world.as(code("agents_list", {})), "INVALID_REQUEST")
      assert.strictEqual(yield* world.as(code("agents_list", { hostId: "far away" })), "UNAVAILABLE")
      assert.lengthOf((yield* world.as(call("agents_list", { hostId: "fake host" }))).agents, 1)
    }).pipe(Effect.provide(worldLayer)))
})

