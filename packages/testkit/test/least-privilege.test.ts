import {
  CurrentPrincipal,
  type HostGateway,
  type JsonObject,
  type Principal,
  type ProjectId,
  type ProjectPorts,
  type ToolServices,
  toolCatalog
} from "@coppice/core"
import type { HostStore, IdempotencyStore, MemberStore, TaskStatusStore, TaskStore, UserStore } from "@coppice/core/ports"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { assert, describe } from "vitest"
import { makePlace, type References, snapshot } from "./project-place.ts"
import { makeWorld, worldLayer } from "./world.ts"

/** What tools may reach without regard to projects. */
type OfNoProject =
  | CurrentPrincipal
  | HostGateway
  | HostStore
  | IdempotencyStore
  | MemberStore
  | SecureRandom
  | TaskStatusStore
  | TaskStore
  | UserStore

// Does not compile once a tool needs a port of which nobody has said whether its records are of projects.
const everyPortIsJudged: [Exclude<ToolServices, ProjectPorts | OfNoProject>] extends [never] ? true : false = true

interface Subject extends References {
  readonly task: string
}

/** For each tool, arguments that name all that it can name of a project. */
const argumentsOf: Record<string, (subject: Subject) => JsonObject> = {
  hosts_list: () => ({}),
  organization_members_list: () => ({}),
  projects_list: () => ({}),
  projects_get: ({ project }) => ({ projectId: project }),
  projects_create: () => ({ name: "another", repositoryPath: "/code/shop" }),
  projects_update: ({ project }) => ({ projectId: project, trusted: true }),
  projects_delete: ({ project }) => ({ projectId: project }),
  tasks_list: () => ({}),
  tasks_get: ({ task }) => ({ taskId: task }),
  tasks_create: () => ({ title: "New" }),
  tasks_update: ({ task }) => ({ taskId: task, title: "Changed" }),
  tasks_delete: ({ task }) => ({ taskId: task }),
  task_statuses_list: () => ({}),
  workspaces_list: ({ project, task }) => ({ projectId: project, taskId: task }),
  workspaces_get: ({ workspace }) => ({ workspaceId: workspace }),
  workspaces_create: ({ project, task }) => ({ projectId: project, name: "new", taskId: task }),
  workspaces_update: ({ workspace }) => ({ workspaceId: workspace, name: "renamed" }),
  workspaces_diff: ({ workspace }) => ({ workspaceId: workspace, format: "patch" }),
  workspaces_push: ({ workspace }) => ({ workspaceId: workspace }),
  workspaces_delete: ({ workspace }) => ({ workspaceId: workspace, force: true }),
  agents_list: () => ({}),
  automations_list: ({ project }) => ({ projectId: project }),
  automations_get: ({ automation }) => ({ automationId: automation }),
  automations_create: ({ project, workspace }) => ({
    name: "new",
    prompt: "Review it.",
    agent: "reviewer",
    projectId: project,
    workspaceMode: "reuse",
    workspaceId: workspace
  }),
  automations_update: ({ automation, workspace }) => ({
    automationId: automation,
    name: "changed",
    workspaceMode: "reuse",
    workspaceId: workspace
  }),
  automations_pause: ({ automation }) => ({ automationId: automation }),
  automations_resume: ({ automation }) => ({ automationId: automation }),
  automations_delete: ({ automation }) => ({ automationId: automation }),
  automations_run: ({ automation }) => ({ automationId: automation }),
  runs_list: ({ automation, project }) => ({ automationId: automation, projectId: project }),
  runs_get: ({ queuedRun }) => ({ runId: queuedRun }),
  runs_wait: ({ endedRun }) => ({ runId: endedRun }),
  runs_cancel: ({ queuedRun }) => ({ runId: queuedRun }),
  runs_retry: ({ endedRun }) => ({ runId: endedRun }),
  runs_events: ({ queuedRun }) => ({ runId: queuedRun })
}

/** How tools answer whose good arguments the state of this world refuses, or who needs all projects. */
const otherwise: Record<string, string> = {
  projects_create: "FORBIDDEN",
  tasks_delete: "FORBIDDEN",
  projects_delete: "CONFLICT",
  automations_delete: "CONFLICT"
}

const tools = toolCatalog.map(({ annotations, name }) => ({ name, reads: annotations.readOnlyHint }))

const makeScene = Effect.gen(function*() {
  const world = yield* makeWorld
  const asOwner = (name: string, args: unknown) => world.as(toolCatalog.find((tool) => tool.name === name)!.call(args))
  const { task } = yield* asOwner("tasks_create", { title: "Shared" })
  const taskId = (task as { readonly id: string }).id
  const mine = yield* makePlace(world, "mine", taskId)
  const foreign = yield* makePlace(world, "foreign", taskId)
  const principal: Principal = { ...world.principal, projectIds: [mine.byId.project as ProjectId] }
  /** The answer as JSON, or the code of the failure. */
  const callAs = (principal: Principal) => (name: string, args: unknown) =>
    Effect.suspend(() => toolCatalog.find((tool) => tool.name === name)!.call(args)).pipe(
      Effect.provideService(CurrentPrincipal, principal),
      Effect.match({ onSuccess: (result) => ["it succeeded", JSON.stringify(result)], onFailure: ({ code }) => [code, ""] })
    )
  const leaks = (text: string) => foreign.ids.filter((id) => text.includes(id))
  return { ...world, asOwner, taskId, mine, foreign, call: callAs(principal), callAs, bound: principal, leaks }
})
type Scene = Effect.Success<typeof makeScene>

/** The tool's arguments about what is foreign: all of it, and each reference among what is the caller's own. */
const foreignArguments = (name: string, { foreign, mine, taskId: task }: Scene): ReadonlyArray<JsonObject> => {
  const own = argumentsOf[name]!({ ...mine.byId, task })
  return [foreign.byId, foreign.byName].flatMap((references) => {
    const theirs = argumentsOf[name]!({ ...references, task })
    const fields = Object.keys(theirs).filter((field) => theirs[field] !== own[field])
    return fields.length === 0 ? [] : [theirs, ...fields.map((field) => ({ ...own, [field]: theirs[field] }))]
  })
}

describe("a credential for some projects", () => {
  it("is judged for every tool, and for every port that a tool needs", () => {
    assert.deepStrictEqual(Object.keys(argumentsOf), tools.map(({ name }) => name))
    assert.isTrue(everyPortIsJudged)
  })

  it.effect.each(tools)("finds nothing of another project by $name, and changes nothing there", ({ name }) =>
    Effect.gen(function*() {
      const scene = yield* makeScene
      const before = yield* snapshot(scene, scene.foreign)
      for (const args of foreignArguments(name, scene)) {
        assert.deepStrictEqual(yield* scene.call(name, args), ["NOT_FOUND", ""], JSON.stringify(args))
      }
      assert.strictEqual(yield* snapshot(scene, scene.foreign), before)
      const [outcome, text] = yield* scene.call(name, argumentsOf[name]!({ ...scene.mine.byId, task: scene.taskId }))
      assert.strictEqual(outcome, otherwise[name] ?? "it succeeded")
      assert.deepStrictEqual(scene.leaks(text!), [])
      assert.strictEqual(yield* snapshot(scene, scene.foreign), before)
    }).pipe(Effect.provide(worldLayer)))

  it.effect.each(tools.filter(({ name }) => name.endsWith("_list")))("lists no more than its own by $name without a filter", ({ name }) =>
    Effect.gen(function*() {
      const scene = yield* makeScene
      const several = scene.callAs({ ...scene.bound, projectIds: [...scene.bound.projectIds!, scene.project.id] })
      for (const call of [scene.call, several]) {
        const [outcome, text] = yield* call(name, {})
        assert.strictEqual(outcome, "it succeeded")
        assert.deepStrictEqual(scene.leaks(text!), [])
        const all = JSON.stringify(yield* scene.asOwner(name, {}))
        if (scene.leaks(all).length > 0) assert.isTrue(scene.mine.ids.some((id) => text!.includes(id)), "its own is there")
      }
    }).pipe(Effect.provide(worldLayer)))

  it.effect("lists all of its own page by page, whatever lies between", () =>
    Effect.gen(function*() {
      const scene = yield* makeScene
      const more = yield* makePlace(scene, "more")
      for (let place = 0; place < 8; place++) yield* scene.run(scene.foreign.byId.automation)
      yield* scene.run(scene.mine.byId.automation)
      const expected = (yield* scene.asOwner("runs_list", { limit: 100 }))["runs"] as ReadonlyArray<{ id: string; projectId: string }>
      const runsOf = Effect.fnUntraced(function*(...projects: ReadonlyArray<string>) {
        const call = scene.callAs({ ...scene.bound, projectIds: projects as ReadonlyArray<ProjectId> })
        const seen: Array<string> = []
        let cursor: object = {}
        do {
          const [, text] = yield* call("runs_list", { limit: 2, ...cursor })
          const { nextCursor, runs } = JSON.parse(text!) as { runs: ReadonlyArray<{ id: string }>; nextCursor?: string }
          assert.isTrue(nextCursor === undefined || runs.length > 0, "a page with a cursor shows something")
          seen.push(...runs.map(({ id }) => id))
          cursor = nextCursor === undefined ? {} : { cursor: nextCursor }
        } while ("cursor" in cursor)
        return seen
      })
      for (const projects of [[scene.mine.byId.project], [scene.mine.byId.project, more.byId.project], [scene.project.id]]) {
        const theirs = expected.filter(({ projectId }) => projects.includes(projectId)).map(({ id }) => id)
        assert.deepStrictEqual(yield* runsOf(...projects), theirs)
      }
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is answered no result of a call that another credential made with the same idempotencyKey", () =>
    Effect.gen(function*() {
      const scene = yield* makeScene
      const args = { automationId: scene.foreign.byId.automation, idempotencyKey: "once" }
      const { run } = yield* scene.asOwner("automations_run", args)
      const before = yield* snapshot(scene, scene.foreign)
      assert.deepStrictEqual(yield* scene.call("automations_run", args), ["CONFLICT", ""])
      assert.strictEqual(yield* snapshot(scene, scene.foreign), before)
      const own = { automationId: scene.mine.byId.automation, idempotencyKey: "own" }
      const first = yield* scene.call("automations_run", own)
      assert.strictEqual(first[0], "it succeeded")
      assert.deepStrictEqual(yield* scene.call("automations_run", own), first)
      // Whoever made the call is answered as before.
      assert.deepStrictEqual((yield* scene.asOwner("automations_run", args))["run"], run)
      const wider = scene.callAs({ ...scene.bound, projectIds: [...scene.bound.projectIds!, scene.project.id] })
      assert.deepStrictEqual(yield* wider("automations_run", own), ["CONFLICT", ""])
    }).pipe(Effect.provide(worldLayer)))
})

describe("a credential for looking only", () => {
  it.effect.each(tools)("may use $name as far as that only looks", ({ name, reads }) =>
    Effect.gen(function*() {
      const scene = yield* makeScene
      const before = [yield* snapshot(scene, scene.mine), yield* snapshot(scene, scene.foreign)]
      const args = argumentsOf[name]!({ ...scene.mine.byId, task: scene.taskId })
      const call = scene.callAs({ ...scene.principal, access: "read" })
      assert.strictEqual((yield* call(name, args))[0], reads ? "it succeeded" : "FORBIDDEN")
      assert.deepStrictEqual([yield* snapshot(scene, scene.mine), yield* snapshot(scene, scene.foreign)], before)
      const full = scene.callAs({ ...scene.principal, access: "full" })
      const outcome = otherwise[name] === "CONFLICT" ? "CONFLICT" : "it succeeded"
      assert.strictEqual((yield* full(name, { ...args, ...(name === "projects_create" ? { repositoryPath: "/code/mine" } : {}) }))[0], outcome)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is answered no result of a call that it may not make, and is told what to do", () =>
    Effect.gen(function*() {
      const scene = yield* makeScene
      const args = { title: "New", idempotencyKey: "once" }
      yield* scene.asOwner("tasks_create", args)
      const refused = yield* toolCatalog.find(({ name }) => name === "tasks_create")!.call(args).pipe(
        Effect.provideService(CurrentPrincipal, { ...scene.principal, access: "read" }),
        Effect.flip
      )
      assert.strictEqual(refused.code, "FORBIDDEN")
      assert.strictEqual(refused.message, "This credential may only read.")
      assert.match(refused.hint!, /full access/)
    }).pipe(Effect.provide(worldLayer)))
})
